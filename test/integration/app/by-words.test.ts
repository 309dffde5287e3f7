import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMiniLm } from '../../../services/embedding/minilm.js';
import type { Embedder } from '../../../services/embedding/port.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { hashedEmbedder, providerOf } from '../../support/embedders.js';
import { realModel } from '../../support/real-model.js';

const model = await realModel();
const unreachable = typeof model === 'string' ? `: SKIPPED, no road leads to the model. ${model}` : '';

const PORT = 'Staging listens on port 8081, because 8080 is taken by the proxy';
const SENTENCE = 'The cache keeps every rendered page for as long as its tag lives, and a change of a tag drops what it named. ';
const TEXTS = [
  PORT,
  'The old staging password of the crane is kept by Ada',
  '数据库在中午崩溃了，因为连接用完了',
  'Der Kran darf nur außer Betrieb gewartet werden, weil die Größe der Last sonst nicht geprüft wird',
  SENTENCE.repeat(40),
  'tusd',
  '???',
];
/** As they look where a text was copied from elsewhere. */
const WRITTEN: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase().replace('SS', 'ß'),
  (text) => `  ${text.replaceAll(' ', '\n\t ')} `,
  (text) => text.normalize('NFD'),
];
/** Alike, with the same words, and another number. */
const filler = (n: number): string => `Staging listens on port ${9000 + n}, because ${8999 - n} is taken by the proxy`;

const MODES: readonly (readonly [string, () => Promise<Embedder | undefined>, boolean])[] = [
  ['words alone', async () => undefined, true],
  ['made-up vectors', async () => hashedEmbedder(), true],
  [`MiniLM${unreachable}`, async () => (typeof model === 'string' ? undefined : openMiniLm(model)), typeof model !== 'string'],
];

describe.each(MODES)('what words mean, by %s', (_mode, open, there) => {
  let test: TestApp;
  let embedder: Embedder | undefined;
  const keys = new Map<string, string>();
  const remember = async (content: string): Promise<void> => {
    const { key } = (await test.app.commands.remember({ content, force: true }, test.call)) as { readonly key: string };
    keys.set(content, key);
  };
  const meant = async (words: string): Promise<readonly string[]> => {
    const answer = await test.app.commands.forget({ key_or_query: words }, test.call);
    return answer.status === 'preview' ? answer.targets.map(({ key }) => key) : [];
  };
  const archived = async (words: string): Promise<readonly string[]> => {
    const { affected } = await test.app.commands.archive({ key_or_query: words }, test.call);
    for (const { key } of affected) await test.app.commands.reinstate({ key_or_query: key }, test.call);
    return affected.map(({ key }) => key);
  };
  beforeAll(async () => {
    if (!there) return;
    embedder = await open();
    test = await openTestApp({ provider: providerOf(embedder), ...(embedder === undefined && { env: { EMBEDDING: 'none' } }) });
  });
  afterAll(async () => {
    await test?.end();
    await embedder?.close();
  });

  it.skipIf(!there).each([1, 2, 5, 7, 200])('is its own text, in a store of %i memories', { timeout: 240_000 }, async (size) => {
    for (const text of TEXTS.slice(keys.size, size)) await remember(text);
    while (keys.size < size) await remember(filler(keys.size));
    for (const text of TEXTS.slice(0, size)) {
      const key = keys.get(text);
      for (const write of WRITTEN) expect([write(text), await meant(write(text))]).toEqual([write(text), [key]]);
      expect([text, await archived(text)]).toEqual([text, [key]]);
    }
    // Nearly all of it, in every store alike.
    const nearly = 'staging listens on the port 8081 because 8080 is taken by a proxy.';
    expect([await meant(nearly), await archived(nearly)]).toEqual([[keys.get(PORT)], [keys.get(PORT)]]);
    // A word that carries a claim is another.
    const other = PORT.replace('8081', '8091');
    expect([await meant(other), await archived(other)]).toEqual([[], []]);
    expect(await archived('staging port 8081')).toEqual([]);
    expect(await archived('Staging')).toEqual([]);
  });

  it.skipIf(!there)('is an archived text too, where it is forgotten', async () => {
    const key = keys.get(PORT) ?? '';
    await test.app.commands.archive({ key_or_query: key }, test.call);
    expect(await meant(PORT)).toEqual([key]);
    expect(await archived(PORT)).toEqual([]);
    await test.app.commands.reinstate({ key_or_query: key }, test.call);
  });

  it.skipIf(!there)('is the text in every project that holds it, and a topic that is suppressed hides none of it', async () => {
    const places = ['a', 'b', 'c', 'd', 'e'];
    for (const project of places) await test.app.commands.remember({ content: 'Ada waters the plants', project }, test.call);
    await test.app.commands.suppressTopic({ topic: 'plants' }, test.call);
    expect(await meant('ada waters the plants')).toHaveLength(places.length);
    expect(await archived('Ada waters the plants')).toHaveLength(places.length);
    expect(await meant('who waters plants')).toEqual([]);
  });

  it.skipIf(!there)('is what holds all of them where nothing says just that: to be shown, not to be acted on', async () => {
    const crane = keys.get('The old staging password of the crane is kept by Ada') ?? '';
    const answer = await test.app.commands.forget({ key_or_query: 'the old staging password' }, test.call);
    expect(answer).toMatchObject({ status: 'preview', targets: [{ key: crane }], note: expect.stringContaining('hold') });
    expect(await archived('the old staging password')).toEqual([]);
    expect(await test.app.commands.deprioritise({ key_or_query: 'the old staging password', reason: 'old' }, test.call)).toMatchObject({
      affected: [],
    });
    expect(await meant('the password')).toEqual([]);
    expect(await meant('连接用完了')).toEqual([keys.get('数据库在中午崩溃了，因为连接用完了')]);
    expect(await meant('用连接完了')).toEqual([]);
  });

  it.skipIf(!there)('is not what says the opposite in nearly the same words, alone or beside the text itself', async () => {
    const { commands } = test.app;
    const kept =
      'The nightly cleanup of the media server keeps the original images on the cold disk and deletes the small thumbnails from the hot disk of the rack in the basement';
    const swapped = kept.replace('keeps', 'deletes').replace('small', 'large');
    const store = async (content: string, project: string): Promise<string> =>
      ((await commands.remember({ content, project }, test.call)) as { readonly key: string }).key;
    const one = await store(kept, 'north');
    expect([await meant(swapped), await archived(swapped)]).toEqual([[], []]);
    expect((await commands.deprioritise({ key_or_query: swapped, reason: 'old' }, test.call)).affected).toEqual([]);
    // Not swallowed where it is remembered beside it, either.
    const other = await store(swapped, 'north');
    expect(other).not.toBe(one);
    // Nor is what only says the same, where the text itself is there.
    const like = await store(`${kept.replace('original ', '')}.`, 'south');
    for (const [text, key] of [
      [kept, one],
      [swapped, other],
    ] as const)
      expect([await meant(text), await archived(text)]).toEqual([[key], [key]]);
    for (const key of [one, other, like]) await commands.archive({ key_or_query: key }, test.call);
    const { affected } = await commands.reinstate({ key_or_query: kept }, test.call);
    expect(affected.map(({ key }) => key)).toEqual([one]);
  });

  it.skipIf(!there)('is an archived text in which there is nothing to look for, too', async () => {
    const key = keys.get('???') ?? '';
    await test.app.commands.archive({ key_or_query: key }, test.call);
    expect(await meant('???')).toEqual([key]);
    expect(await archived('???')).toEqual([]);
    expect(await test.app.commands.reinstate({ key_or_query: '???' }, test.call)).toMatchObject({ affected: [{ key }] });
  });
});
