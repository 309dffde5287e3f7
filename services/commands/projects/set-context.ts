import type { ParsedDomains } from '../../../domain/domains.js';
import { DomainError } from '../../../domain/errors.js';
import { declareDomains } from '../../../domain/project/domains.js';
import { projectKey } from '../../../domain/project/key.js';
import { type Project, type ProjectCommand, projectDecider } from '../../../domain/project/project.js';
import { filedUnder } from '../../../domain/project/scope.js';
import { contextText } from '../../../domain/project/text.js';
import type { Call, SetProjectContextInput, SetProjectContextResult } from '../../api.js';
import { handleCommand, stateOf } from '../../eventlog/handle.js';
import { holderOf } from '../../queries/projects/holder.js';
import { embedForWrite, vectorsOf } from '../embed.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { expectFree } from '../retag.js';
import { domainsGiven, notTaken } from './domains.js';
import { projectNamed } from './named.js';
import { refuseFuture, seenBy } from './reading.js';
import { replacedState, writersOf } from './replaced.js';
import { parseContextPart } from './texts.js';

type Data = Omit<Extract<ProjectCommand, { type: 'SetProjectContext' }>['data'], 'seen' | 'writers'>;

/** Says what a project is. Throws VALIDATION, TOO_LARGE, and CONFLICT for a state newer than what the caller read. */
export const setProjectContext = async (
  parts: CommandParts,
  input: SetProjectContextInput,
  call: Call,
): Promise<SetProjectContextResult> => {
  const force = input.force === true;
  const part = (name: 'description' | 'stack' | 'goals' | 'current_state'): string => parseContextPart(name, input[name], force);
  const texts = { description: part('description'), stack: part('stack'), goals: part('goals'), current_state: part('current_state') };
  if (Object.values(texts).every((text) => text === ''))
    throw new DomainError('VALIDATION', 'The context says nothing', 'Say at least what the project is, in description');
  const notes = input.notes === undefined ? undefined : parseContextPart('notes', input.notes, force);
  const domains = input.domains === undefined ? undefined : domainsGiven(input.domains);
  const name = await projectNamed(parts, input.project_name);
  const { suggestion } = filedUnder(parts.index.projects, name);
  const data: Data = { ...texts, ...(notes !== undefined && { notes }), provenance: 'asserted' };
  return { ...(await saveContext(parts, name, data, input.version, call, domains)), ...(suggestion && { project_suggestion: suggestion }) };
};

/** Sets the context of a project as a whole, with its domains if given, unless its state is newer than what the caller has read of it. */
export const saveContext = async (
  parts: CommandParts,
  name: string,
  data: Data,
  version: number | undefined,
  call: Call,
  domains?: ParsedDomains,
): Promise<SetProjectContextResult> => {
  const holder = holderOf(parts.index, name);
  const subject = projectKey(holder);
  const stamp = stampOf(parts, call);
  const first = stamp.repeatable ? await parts.log.firstAnswer(stamp.commandId) : undefined;
  if (first) {
    const answer = first.result as unknown as SetProjectContextResult;
    parts.reads.note(call.session, subject, answer.version);
    return { ...answer, ...domainsTold(domains), ...(await visibility(parts, first)) };
  }
  const writers = await writersOf(parts, subject);
  const reading = { seen: seenBy(parts, call, subject, version), writers };
  const contextBy = (project: Project) => {
    const [event] = projectDecider.decide({ type: 'SetProjectContext', data: { ...data, ...reading } }, project);
    return event?.type === 'ProjectContextSet' ? event : undefined;
  };
  const [history] = await parts.log.load([subject]);
  const event = history && contextBy(stateOf(projectDecider, history).state);
  const text = event ? contextText(holder, event.data) : '';
  const embedded = await embedForWrite(parts, event ? [text] : [], call.signal);
  if (embedded.state === 'stored') await parts.noteModel(embedded.embedder.identity.id);
  let before = projectDecider.initialState();
  let isNew = false as boolean;
  const { result, appended } = expectFree(
    await handleCommand(parts.log, projectDecider, [subject], stamp, ([loaded]) => {
      before = loaded?.state ?? projectDecider.initialState();
      refuseFuture(version, loaded?.version ?? 0);
      const made = contextBy(before);
      isNew = made !== undefined;
      // A vector belongs to the last event, so the context comes last.
      const events = [...(domains ? declareDomains(before.domains, domains.domains) : []), ...(made ? [made] : [])];
      // Notes that somebody changed meanwhile make another text; its vector follows later.
      const vectors = made && contextText(holder, made.data) === text ? { vectors: vectorsOf(embedded, 0) } : {};
      return {
        writes: [{ subject, events, ...vectors }],
        // Kept for a day, so it holds none of the text: what was said of domains is told from the call.
        result: {
          status: events.length > 0 ? 'stored' : 'unchanged',
          project_name: name,
          key: subject,
          version: (loaded?.version ?? 0) + events.length,
          embedding: embedded.state,
        },
      };
    }),
  );
  const answer = result as unknown as SetProjectContextResult;
  parts.reads.note(call.session, subject, answer.version);
  return {
    ...answer,
    ...domainsTold(domains),
    ...(isNew && appended && (await replacedState(parts, before, writers))),
    ...(await visibility(parts, appended)),
  };
};

const domainsTold = (given: ParsedDomains | undefined): Pick<SetProjectContextResult, 'domains' | 'aliased' | 'rejected'> =>
  given === undefined ? {} : { domains: given.domains, ...notTaken(given) };
