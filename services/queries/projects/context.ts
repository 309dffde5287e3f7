import { parseProjectName } from '../../../domain/project/name.js';
import type { Asked, Call, GetProjectContextResult, ProjectNameInput } from '../../api.js';
import { askEarlier, told } from '../../history/as-of.js';
import type { QueryParts } from '../parts.js';
import type { Searched } from '../rank.js';
import { storedRows } from '../rows.js';
import { noSuchProject } from './no-such.js';
import { contextsFrom } from './read.js';

/** What a project is and where it stands. Whoever reads it as it is now has read this version in his session. */
export const getProjectContext = async (
  parts: QueryParts,
  input: ProjectNameInput & Asked,
  call: Call,
): Promise<GetProjectContextResult> => {
  const asked = parseProjectName(input.project_name);
  if (input.as_of !== undefined) {
    const { answer, ...earlier } = await askEarlier(parts, input.as_of, call, ({ index }, moment) =>
      contextIn(index, (keys) => moment.rows(keys), asked),
    );
    return { ...answer, ...told(earlier) };
  }
  const stale = await parts.fresh();
  const context = await contextIn(parts.index, (keys) => storedRows(parts, keys), asked);
  if (context.status === 'found') parts.reads.note(call.session, context.key, context.version);
  return { ...context, ...(stale && { stale }) };
};

const contextIn = async (
  { projects }: Pick<Searched, 'projects'>,
  read: Parameters<typeof contextsFrom>[0],
  asked: string,
): Promise<GetProjectContextResult> => {
  const name = projects.canonical(asked);
  const context = (await contextsFrom(read, projects, [name])).get(name);
  if (!context) return noSuchProject({ index: { projects } }, name);
  const { description, stack, goals, current_state, notes = '' } = context.texts;
  const domains = projects.domainsOf(name);
  const others = projects.namesOf(name).filter((other) => other !== name);
  return {
    status: 'found',
    project_name: name,
    key: context.key,
    version: context.version,
    ...(description !== '' && { description }),
    ...(stack !== '' && { stack }),
    ...(goals !== '' && { goals }),
    ...(current_state !== '' && { current_state }),
    ...(notes !== '' && { notes }),
    state: context.state,
    ...(context.deprioritised_reason !== undefined && { deprioritised_reason: context.deprioritised_reason }),
    ...(domains && { domains }),
    ...(others.length > 0 && { also_called: others }),
    ...(context.compiled.length > 0 && { compiled: context.compiled }),
    licence: context.licence,
    provenance: context.provenance,
    created_at: context.created_at,
    updated_at: context.updated_at,
  };
};
