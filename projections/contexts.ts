import { projectOf } from '../domain/project/key.js';
import { type Drawn, drawnBesideState } from '../domain/project/project.js';
import { type ContextTexts, contextText } from '../domain/project/text.js';
import { objectIn } from './damaged.js';
import type { Applied, Row } from './projection.js';

/** The parts of a project's context; one that is drawn from memories is empty, and `drawn` names them. */
export type ContextRow = ContextTexts & { readonly drawn?: Drawn | undefined };

type Fields = Readonly<Record<string, string | undefined>>;

/** What an event of a project changes in the row of its context. Nothing where there is no context. */
export const contextChanges = (event: Applied, row: Row | undefined): Fields | undefined => {
  const { subject, n, at } = event.envelope;
  const version = String(n);
  if (event.type === 'ProjectContextSet') {
    const { licence, provenance, created_at = at, ...context } = event.data;
    return {
      namespace: 'project',
      state: row?.state ?? 'active',
      project: projectOf(subject),
      tags: '[]',
      licence,
      provenance,
      created_at: row?.created_at ?? created_at,
      mode: 'raw',
      base_surface: '1',
      ...withText(subject, context),
      updated_at: at,
      content_version: version,
      version,
    };
  }
  const before = contextRow(row?.context);
  if (before === undefined) return undefined;
  if (event.type !== 'ProjectStateUpdated') return { version };
  const { current_state, notes = before.notes } = event.data;
  const left = drawnBesideState(before.drawn ?? {}, event.data.notes === undefined);
  const drawn = Object.keys(left).length > 0 ? left : undefined;
  return { ...withText(subject, { ...before, current_state, notes, drawn }), updated_at: at, content_version: version, version };
};

const withText = (subject: string, context: ContextRow): Fields => ({
  content: contextText(projectOf(subject) ?? subject, context),
  context: JSON.stringify(context),
});

export const contextRow = (json: string | undefined): ContextRow | undefined => objectIn<ContextRow>(json);
