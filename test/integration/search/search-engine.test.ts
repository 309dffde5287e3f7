import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SearchServer, startSearchServer } from '../../support/search-server.js';
import { argumentBytes, replyOf, type Step, transcript } from '../../support/search-transcripts.js';

/** What the emulation does not have, since nothing of ours uses it. */
const LEFT_OUT = /SORT|SLOP|^FT\.INFO/;
/** Entries that outlive their hash: tests of ours put them in by hand. */
const GHOSTS = /"mem:episodic:x"/;

/** The emulation is worth something only where it answers as the module did: scores to 5 digits, errors as errors. */
describe('the emulated module answers as the recorded one', () => {
  let server: SearchServer;
  beforeAll(async () => {
    server = await startSearchServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const redis = () => server.client();

  const load = async (id: string): Promise<void> => {
    const client = redis();
    await client.flushall();
    server.engine.indexes.clear();
    if (id === 'nonvector' || id.startsWith('tags') || id === 'numeric_filters') await loadTags(client);
    if (id === 'default_limit' || id === 'updates')
      for (const { cmd } of setUp('knn', id === 'updates' ? /^HSET/ : /^(FT|HSET)/)) await send(client, cmd);
    client.disconnect();
  };

  it.each([
    'lifecycle',
    'knn',
    'default_limit',
    'bad_values',
    'tags_filters',
    'tags_separator_query',
    'numeric_filters',
    'nonvector',
    'updates',
  ])('%s', async (id) => {
    await load(id);
    const client = redis();
    if (id === 'numeric_filters' || id === 'nonvector' || id === 'tags_separator_query')
      for (const { cmd } of setUp('tags_filters', /^HSET/)) await send(client, cmd);
    let compared = 0;
    for (const step of transcript(id).steps) {
      if (!step.cmd || LEFT_OUT.test(step.cmd.map(String).join(' ')) || /created_at stored as/.test(step.note ?? '')) continue;
      if (step.cmd[0] === 'FT.SEARCH' && GHOSTS.test(JSON.stringify(step.reply))) continue;
      // Another database is out of sight.
      const answered = await send(client, step.cmd[0] === 'MOVE' ? ['DEL', step.cmd[1] ?? ''] : step.cmd);
      const wanted = comparable(replyOf(step.reply ?? null), step);
      expect({ cmd: step.cmd, answered: comparable(answered, step) }).toEqual({ cmd: step.cmd, answered: wanted });
      compared++;
    }
    expect(compared).toBeGreaterThan(3);
    client.disconnect();
  });

  it('reads tag values as the table says, raw and escaped', async () => {
    await load('tags_values');
    const client = redis();
    for (const row of transcript('tags_values').table ?? []) {
      for (const way of ['raw', 'escaped_all', 'escaped_min', 'quoted'] as const) {
        const { filter, matches } = row[way] as { filter: string; matches: readonly string[] | { '-': string } };
        const query = `${filter}=>[KNN 100 @vector $B AS s]`;
        const args = [
          'FT.SEARCH',
          'tags',
          query,
          'PARAMS',
          '2',
          'B',
          { f32: [1, 0, 0, 0, 0, 0, 0, 0] },
          'RETURN',
          '1',
          'tag',
          'LIMIT',
          '0',
          '100',
        ];
        const reply = await send(client, args);
        const found =
          reply instanceof Error
            ? { '-': 'error' }
            : (reply as Buffer[][])
                .slice(1)
                .filter((_, i) => i % 2 === 1)
                .map((fields) => fields[1]?.toString() ?? '');
        expect({ filter, found: Array.isArray(found) ? found.sort() : found }).toEqual({
          filter,
          found: Array.isArray(matches) ? [...matches].sort() : { '-': 'error' },
        });
      }
    }
    client.disconnect();
  });
});

type Client = ReturnType<SearchServer['client']>;

const send = async (client: Client, cmd: Step['cmd'] = []): Promise<unknown> => {
  const [command = '', ...args] = cmd.map(argumentBytes);
  return client.callBuffer(command.toString(), ...args).catch((error: Error) => error);
};

const setUp = (id: string, wanted: RegExp) =>
  transcript(id).steps.filter(({ cmd, ...step }) => 'setup' in step && wanted.test(String(cmd?.[0])));

const loadTags = async (client: Client): Promise<void> => {
  const { steps, table = [] } = transcript('tags_values');
  for (const { cmd } of steps) await send(client, cmd);
  for (const [i, { stored }] of table.entries()) {
    const fields = ['tag', stored, 'cs', stored, 'multi', stored, 'num', String(i + 1)];
    await send(client, ['HSET', `t:${String(i).padStart(2, '0')}`, 'vector', { f32: [1, 0, 0, 0, 0, 0, 0, 0] }, ...fields]);
  }
};

/** Errors as errors, numbers to 5 digits, hashes and unordered documents as sets. */
const comparable = (reply: unknown, step: Step): unknown => {
  if (reply instanceof Error || isError(reply)) return 'error';
  const value = plain(reply);
  if (!Array.isArray(value) || step.cmd?.[0] !== 'FT.SEARCH') return Array.isArray(value) ? [...value].sort() : value;
  const [total, ...rest] = value;
  const documents =
    step.cmd.includes('NOCONTENT') || step.cmd.join(' ').includes('RETURN 0') ? rest : documentsOf(rest, step.cmd.includes('RETURN'));
  return [total, ...(step.unordered || !step.cmd.includes('RETURN') ? documents.map((one) => JSON.stringify(one)).sort() : documents)];
};

const documentsOf = (rest: readonly unknown[], ordered: boolean) =>
  rest.flatMap((key, i) => (i % 2 === 0 ? [{ key, fields: ordered ? rest[i + 1] : pairsOf(rest[i + 1] as unknown[]) }] : []));

const pairsOf = (fields: readonly unknown[]) =>
  fields.flatMap((name, i) => (i % 2 === 0 ? [`${String(name)}=${String(fields[i + 1])}`] : [])).sort();

const isError = (reply: unknown): boolean => typeof reply === 'object' && reply !== null && 'error' in reply;

const plain = (reply: unknown): unknown => {
  if (Array.isArray(reply)) return reply.map(plain);
  if (typeof reply === 'object' && reply !== null && 'simple' in reply) return reply.simple;
  const text = Buffer.isBuffer(reply)
    ? reply.toString('latin1')
    : typeof reply === 'string'
      ? Buffer.from(reply).toString('latin1')
      : reply;
  return typeof text === 'string' && /^-?\d+\.\d{7,}$/.test(text) ? Number(text).toFixed(5) : text;
};
