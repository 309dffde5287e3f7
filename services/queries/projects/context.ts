import { parseProjectName } from '../../../domain/project/name.js';
import type { Call, GetProjectContextResult, ProjectNameInput } from '../../api.js';
import type { QueryParts } from '../parts.js';
import { noSuchProject } from './no-such.js';
import { readContext } from './read.js';

/** What a project is and where it stands, as it is now. The session has read this version then. */
export const getProjectContext = async (parts: QueryParts, input: ProjectNameInput, call: Call): Promise<GetProjectContextResult> => {
  const asked = parseProjectName(input.project_name);
  await parts.fresh();
  const { projects } = parts.index;
  const name = projects.canonical(asked);
  const context = await readContext(parts, name);
  if (!context) return noSuchProject(parts, name);
  parts.reads.note(call.session, context.key, context.version);
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
