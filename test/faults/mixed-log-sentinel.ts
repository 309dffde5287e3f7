import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApp } from '../support/app.js';
import type { MixedLog } from './mixed-log.js';
import { keysWithText } from './store.js';

/** In every text of the sentinel, and nowhere else. Its stem is grepped, so that an index of words does not hide it. */
const WORD = 'xochipilli';
const GREPPED = ['xochipil', 'Xochipil', 'XOCHIPIL'];
const SENTENCE = `The ${WORD} vault opens after nine turns of the brass wheel.`;
const LODGE = 'lodge';

export type Sentinel = { readonly key: string; readonly docId: string; readonly facts: readonly string[] };

/** Says it in every way there is: a memory with its history, facts drawn from it, a document, a project's context, a query. */
export const plantSentinel = async ({ test: { app, index }, world }: MixedLog): Promise<Sentinel> => {
  const { commands, queries } = app;
  const { call } = world;
  const stored = await commands.remember({ content: SENTENCE, tags: [`${WORD}-tag`], mode: 'full', project: LODGE }, call());
  if (stored.status !== 'stored') throw new Error(stored.status);
  const { key } = stored;
  await world.enriched();
  const facts = [...index.documents.values()].filter(({ enrichedFrom }) => enrichedFrom === key).map((fact) => fact.key);
  await commands.revise({ key, content: `${SENTENCE} The clerk of ${WORD} says so.`, reason: `asked the ${WORD} clerk` }, call());
  await world.enriched();
  await commands.retag({ key, add: [`${WORD}-again`] }, call());
  await commands.deprioritise({ key_or_query: key, reason: `${WORD} moved`, reinstate_hints: [`${WORD} wheel`] }, call());
  await commands.reinstate({ key_or_query: key }, call());
  await commands.logAbandoned({ key, name: `${WORD} crowbar`, type: 'tool', reason: `bent at the ${WORD} door` }, call());
  await commands.recordExperience(
    { key, effort_score: 3, outcome: 'succeeded', breakthrough: `${WORD} turns left`, gotchas: `mind the ${WORD} wheel` },
    call(),
  );
  const content = `The ${WORD} plan, part one, with doors.\n\nThe ${WORD} plan, part two, with windows.`;
  const { doc_id } = await commands.rememberDocument({ content, project: LODGE, mode: 'raw' }, call());
  await commands.setProjectContext(
    { project_name: LODGE, description: 'A lodge', stack: 'brick', goals: `Guard the ${WORD} vault`, current_state: `${WORD} is shut` },
    call(),
  );
  await commands.updateProjectState({ project_name: LODGE, current_state: `${WORD} is open`, notes: `see ${WORD}` }, call());
  await commands.compileProjectContext({ project_name: LODGE, auto_save: true, max_tokens: 2_000 }, call());
  await queries.recall({ query: SENTENCE }, call());
  await queries.briefing({ project: LODGE }, call());
  if (doc_id === null || facts.length === 0) throw new Error('the sentinel was not planted');
  return { key, docId: doc_id, facts };
};

/** Forgets all of it, as somebody would: the memory with its facts, the document, the project. */
export const forgetSentinel = async ({ test: { app }, world }: MixedLog, { key, docId }: Sentinel): Promise<void> => {
  for (const target of [{ key_or_query: key }, { doc_id: docId }]) {
    const preview = await app.commands.forget(target, world.call());
    if (preview.status !== 'preview') throw new Error(preview.status);
    await app.commands.forget({ confirm: true, preview_id: preview.preview_id }, world.call());
  }
  await app.commands.deleteProject({ project_name: LODGE, confirm: true, include_context: true }, world.call());
};

/** Files of these folders, and keys of the store, that hold a byte of it. */
export const placesOfSentinel = async ({ redis }: Pick<TestApp, 'redis'>, folders: readonly string[]): Promise<readonly string[]> => {
  const found = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((file) => {
        const bytes = readFileSync(file);
        return file.includes(WORD) || GREPPED.some((text) => bytes.includes(text));
      }),
  );
  for (const text of GREPPED) found.push(...(await keysWithText(redis, text)));
  return found;
};
