import { isDomainError } from '../../../domain/errors.js';
import { projectKey } from '../../../domain/project/key.js';
import { type Project, type ProjectHistoryEvent, projectDecider } from '../../../domain/project/project.js';
import { contextText } from '../../../domain/project/text.js';
import type { Call, UpdateProjectStateInput, UpdateProjectStateResult } from '../../api.js';
import { handleCommand, stateOf } from '../../eventlog/handle.js';
import { holderOf } from '../../queries/projects/holder.js';
import { noSuchProject } from '../../queries/projects/no-such.js';
import { embedForWrite, vectorsOf } from '../embed.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { expectFree } from '../retag.js';
import { projectNamed } from './named.js';
import { refuseFuture, seenBy } from './reading.js';
import { replacedState, writersOf } from './replaced.js';
import { parseContextPart, parseSaidPart } from './texts.js';

/**
 * Writes where a project stands now. Throws CONFLICT, with the newer text, when that text is newer than what the caller has
 * read: by `version`, else by what this session was shown.
 */
export const updateProjectState = async (
  parts: CommandParts,
  input: UpdateProjectStateInput,
  call: Call,
): Promise<UpdateProjectStateResult> => {
  const force = input.force === true;
  const current_state = parseSaidPart('current_state', input.current_state, force);
  const notes = input.notes === undefined ? undefined : parseContextPart('notes', input.notes, force);
  const name = await projectNamed(parts, input.project_name);
  const holder = holderOf(parts.index, name);
  const subject = projectKey(holder);
  const stamp = stampOf(parts, call);
  const first = stamp.repeatable ? await parts.log.firstAnswer(stamp.commandId) : undefined;
  if (first) {
    const answer = first.result as Updated;
    parts.reads.note(call.session, subject, answer.version);
    return { ...answer, ...(await visibility(parts, first)) };
  }
  const writers = await writersOf(parts, subject);
  const seen = seenBy(parts, call, subject, input.version);
  const data = { current_state, ...(notes !== undefined && { notes }), ...(seen !== undefined && { seen }), writers };
  const decided = (project: Project) => projectDecider.decide({ type: 'UpdateProjectState', data }, project);
  try {
    const [history] = await parts.log.load([subject]);
    const text = history && textAfter(holder, stateOf(projectDecider, history).state, decided);
    const embedded = await embedForWrite(parts, text === undefined ? [] : [text], call.signal);
    if (embedded.state === 'stored') await parts.noteModel(embedded.embedder.identity.id);
    let before = projectDecider.initialState();
    const { result, appended } = expectFree(
      await handleCommand(parts.log, projectDecider, [subject], stamp, ([loaded]) => {
        before = loaded?.state ?? projectDecider.initialState();
        refuseFuture(input.version, loaded?.version ?? 0);
        const events = decided(before);
        return {
          // A context that somebody changed meanwhile makes another text; its vector follows later.
          writes: [{ subject, events, ...(textAfter(holder, before, decided) === text && { vectors: vectorsOf(embedded, 0) }) }],
          result: {
            status: events.length > 0 ? 'updated' : 'unchanged',
            project_name: name,
            version: (loaded?.version ?? 0) + events.length,
          },
        };
      }),
    );
    const answer = result as Updated;
    parts.reads.note(call.session, subject, answer.version);
    return {
      ...answer,
      ...(answer.status === 'updated' && appended && (await replacedState(parts, before, writers))),
      ...(await visibility(parts, appended)),
    };
  } catch (error) {
    if (isDomainError(error, 'NOT_FOUND')) return noSuchProject(parts, name);
    throw error;
  }
};

type Updated = { readonly status: 'updated' | 'unchanged'; readonly project_name: string; readonly version: number };

/** What recall will find the context by, or undefined when nothing changes. */
const textAfter = (name: string, project: Project, decided: (project: Project) => readonly ProjectHistoryEvent[]): string | undefined => {
  const events = decided(project);
  const { context } = events.reduce(projectDecider.evolve, project);
  return events.length > 0 && context ? contextText(name, context) : undefined;
};
