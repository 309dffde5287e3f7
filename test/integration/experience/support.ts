import { ulid } from 'ulid';
import type { OpenApp } from '../../../services/app.js';
import type { TestApp } from '../../support/app.js';

/** What the tests of experience do with the app of their file. */
export const deedsWith = (app: () => TestApp) => ({
  act: (commandId = ulid()) => ({ ...app().call, commandId }),
  remember: async (content: string, project?: string): Promise<string> => {
    const stored = await app().app.commands.remember({ content, force: true, ...(project && { project }) }, app().call);
    if (stored.status !== 'stored') throw new Error('not stored');
    return stored.key;
  },
  warn: (query: string, project?: string, { app: asked }: Pick<OpenApp, 'app'> = app()) =>
    asked.queries.warnIfAbandoned({ query, ...(project && { project }) }, app().call),
  recall: (query: string, more: object = {}) => app().app.queries.recall({ query, ...more }, app().call),
  topics: async (): Promise<readonly string[]> => (await app().app.queries.listSuppressions({}, app().call)).suppressed_topics,
  forget: async (key: string): Promise<void> => {
    const preview = await app().app.commands.forget({ key_or_query: key }, app().call);
    if (preview.status !== 'preview') throw new Error(preview.status);
    await app().app.commands.forget({ preview_id: preview.preview_id, confirm: true }, app().call);
  },
});
