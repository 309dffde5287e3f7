import type { MemoryEvent } from '../../domain/memory/events.js';
import type { ProjectEvent } from '../../domain/project/events.js';
import { projectKey } from '../../domain/project/key.js';
import { parseProjectName } from '../../domain/project/name.js';
import type { ImportOptions } from './import.js';
import type { CommandParts } from './parts.js';
import { parseContextPart } from './projects/texts.js';
import { refuseSecretsInFields } from './secrets.js';

type ContextData = Extract<ProjectEvent, { type: 'ProjectContextSet' }>['data'];

/** The context of a project as another system held it, its words already in our vocabulary. */
export type ImportedProject = {
  readonly name: string;
  readonly context: Omit<ContextData, 'drawn' | 'created_at'>;
  /** What it declares; empty: considered, and none derivable; undefined: nothing was declared. */
  readonly domains: readonly string[] | undefined;
  /** Why it was set aside, if it was. */
  readonly deprioritised: string | undefined;
  /** ISO time of its last change. */
  readonly at: string;
  /** ISO time at which it was first set, when that was earlier. */
  readonly created?: string | undefined;
};

/** The same, held against the rules of `set_project_context`. Throws VALIDATION or TOO_LARGE; a live credential is refused unless `force`. */
export const importProject = (project: ImportedProject, { force }: { readonly force: boolean }): ImportedProject => {
  const { description, stack, goals, current_state, notes, licence, provenance } = project.context;
  const part = (name: string, text: string): string => parseContextPart(name, text, force);
  const { name, domains, deprioritised: reason } = project;
  if (!force) refuseSecretsInFields({ 'the project name': name, domains, reason });
  return {
    ...project,
    name: parseProjectName(project.name),
    context: {
      description: part('description', description),
      stack: part('stack', stack),
      goals: part('goals', goals),
      current_state: part('current_state', current_state),
      ...(notes !== undefined && { notes: part('notes', notes) }),
      licence,
      provenance,
    },
  };
};

/** What sets it. */
export const eventsOf = ({ context, domains, deprioritised, created }: ImportedProject): readonly (ProjectEvent | MemoryEvent)[] => [
  ...(domains === undefined ? [] : [{ type: 'ProjectDomainsDeclared' as const, data: { domains: [...domains] } }]),
  { type: 'ProjectContextSet', data: { ...context, ...(created !== undefined && { created_at: created }) } },
  ...(deprioritised === undefined ? [] : [{ type: 'MemoryDeprioritised' as const, data: { reason: deprioritised, reinstate_hints: [] } }]),
];

/** Sets the contexts of projects of which nothing is recorded here; whatever is, a deletion too, stays as it is. */
export const importProjects = async (
  { log, random, now }: Pick<CommandParts, 'log' | 'random' | 'now'>,
  projects: readonly ImportedProject[],
  { actor, correlation, dryRun }: Pick<ImportOptions, 'actor' | 'correlation' | 'dryRun'>,
): Promise<ReadonlyMap<string, 'imported' | 'existing'>> => {
  const histories = await log.load(projects.map(({ name }) => projectKey(name)));
  const fates = new Map<string, 'imported' | 'existing'>();
  for (const [i, project] of projects.entries()) {
    const { name, at } = project;
    if ((histories[i]?.version ?? 0) > 0) {
      fates.set(name, 'existing');
      continue;
    }
    const events = eventsOf(project);
    const writes = [{ subject: projectKey(name), expected: 0, events }];
    const answer = dryRun
      ? { outcome: 'appended' }
      : await log.append({ commandId: random.ulid(now()), correlation, actor, at, writes, result: {} });
    fates.set(name, answer.outcome === 'version' ? 'existing' : 'imported');
  }
  return fates;
};
