import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Commands } from '../../../services/api.js';
import { STORES_TEXT } from '../../../services/commands/secrets.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { readAll } from '../../support/eventlog.js';
import { everyCommand } from '../../support/every-command.js';
import { viewsServe } from '../../support/views.js';

const SAID = 'zqxsentinel';
/** Commands that keep no answer of their own: a rebuild changes nothing. */
const KEEPS_NONE: readonly string[] = ['reindex', 'deleteProject', 'forget', 'deprioritiseProject', 'reinstateProject'];

/** What is said once, what shows a text of before once, and what is read anew and was changed by the command itself. */
const MAY_DIFFER: { readonly [Name in keyof Commands]?: readonly string[] } = {
  remember: ['note'],
  rememberDocument: ['note'],
  updateProjectState: ['replaced'],
  compileProjectContext: ['existing_context', 'note'],
};

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  await viewsServe(test);
});
afterAll(() => test.end());

const named = (): readonly (keyof Commands)[] => Object.keys(test.app.commands) as (keyof Commands)[];
const run = (name: keyof Commands, input: unknown, commandId = ulid()): Promise<unknown> =>
  (test.app.commands[name] as (input: unknown, call: object) => Promise<unknown>)(input, { ...test.call, commandId });

const keptAnswers = async (): Promise<ReadonlyMap<string, string>> => {
  const found = await test.redis.keys(`${test.keys.commandResult('')}*`);
  return new Map(await Promise.all(found.map(async (key) => [key, (await test.redis.get(key)) ?? ''] as const)));
};

const without = (answer: unknown, fields: readonly string[]): unknown =>
  Object.fromEntries(Object.entries(answer as object).filter(([field]) => !fields.includes(field)));

it('every command there is has its case here', () => {
  expect(Object.keys(everyCommand(test, SAID)).sort()).toEqual([...named()].sort());
  expect(Object.keys(STORES_TEXT).sort()).toEqual([...named()].sort());
});

it('an answer that is kept for a repeated command holds no text, and the repeat answers the same', async () => {
  const cases = everyCommand(test, SAID);
  for (const name of named()) {
    const input = await cases[name]();
    const commandId = ulid();
    const first = await run(name, input, commandId);
    const kept = await keptAnswers();
    const telling = [...kept].filter(([, answer]) => answer.toLowerCase().includes(SAID));
    expect({ name, telling }).toEqual({ name, telling: [] });
    if (!KEEPS_NONE.includes(name)) expect({ name, kept: kept.has(test.keys.commandResult(commandId)) }).toEqual({ name, kept: true });
    const again = await run(name, input, commandId);
    const fields = MAY_DIFFER[name] ?? [];
    expect({ name, answer: without(again, fields) }).toEqual({ name, answer: without(first, fields) });
  }
});

/** The input once for each text in it that says it, with a credential there. */
const withCredential = (input: unknown, credential: string): readonly unknown[] => {
  if (typeof input === 'string') return input.includes(SAID) ? [input.replace(SAID, credential)] : [];
  if (Array.isArray(input)) {
    return input.flatMap((entry, i) => withCredential(entry, credential).map((other) => input.with(i, other)));
  }
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([field, value]) =>
    withCredential(value, credential).map((other) => ({ ...input, [field]: other })),
  );
};

it('no command stores a live credential, in whichever text it stands and whatever becomes of its case', async () => {
  const credential = `AK${'IA'}Q7ZMX2KD9WPLR4TB`;
  const cases = everyCommand(test, SAID);
  for (const name of named()) {
    const refusals: boolean[] = [];
    for (const input of withCredential(await cases[name](), credential)) {
      const answer = run(name, input).then(() => '', String);
      refusals.push((await answer).includes('live credential'));
    }
    expect({ name, refuses: refusals.includes(true) }).toEqual({ name, refuses: STORES_TEXT[name] });
    const told = JSON.stringify(await readAll(test.log)).toLowerCase();
    expect({ name, stored: told.includes(credential.toLowerCase()) }).toEqual({ name, stored: false });
  }
});
