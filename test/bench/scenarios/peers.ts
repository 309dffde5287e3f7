import { join, resolve } from 'node:path';
import { createCorpus } from '../corpus.js';
import { type Figure, latencies, percentile, plainFigure, ratioFigure } from '../figures.js';
import { inTemporaryFolder } from '../folders.js';
import { useModel } from '../model.js';
import { connect } from '../peers/connected.js';
import { installPeers } from '../peers/install.js';
import { type MemoryServer, memoryLibsql, omnimem, type PeerMemory, serverMemory } from '../peers/servers.js';
import type { Context, Scenario } from '../scenario.js';

const SIZES = [1_000, 10_000];
const QUESTIONS = 60;
const WRITES = 30;

/** Memory i says `ticket-<i>x` once and nobody else does. */
const mark = (i: number): string => `ticket-${i}x`;

type Kind = 'an exact name' | 'the name in a sentence' | 'some of its words';

type Measured = {
  readonly write: readonly number[];
  readonly search: readonly number[];
  readonly found: Readonly<Record<Kind, number>>;
};

export const peers: Scenario = {
  name: 'peers',
  about: 'this product and two other memory servers through one MCP client; installs them first (named only)',
  named: true,
  run: async ({ sizes, model, say }) => {
    const packages = await installPeers(resolve('data/bench-peers'));
    const figures: Figure[] = [];
    for (const size of sizes.filter((wanted) => SIZES.includes(wanted))) {
      const ours = await measureOurs(size, model, say);
      for (const server of [serverMemory(packages), memoryLibsql(packages)]) {
        say(`  ${server.name} at ${size}`);
        const theirs = await inTemporaryFolder('peer', (folder) => measure(server, folder, size));
        figures.push(...compared(size, ours, server.name, theirs));
      }
      figures.push(...foundFigures(size, 'omnimem', ours));
    }
    return figures;
  },
};

const measureOurs = (size: number, model: Context['model'], say: Context['say']): Promise<Measured> =>
  inTemporaryFolder('peer', async (folder) => {
    const found = await model();
    if ('dir' in found) await useModel(join(folder, 'data'), found.dir);
    say(`  omnimem at ${size}${'missing' in found ? `, by words only: ${found.missing}` : ''}`);
    return measure(omnimem('dir' in found ? { EMBEDDING: 'minilm' } : { EMBEDDING: 'none' }), folder, size);
  });

const measure = async (server: MemoryServer, folder: string, size: number): Promise<Measured> => {
  const corpus = createCorpus(7, Date.UTC(2026, 0, 1));
  const made = Array.from({ length: size + WRITES }, corpus.memory);
  const memories = made.map((memory, i): PeerMemory => ({ name: `memory-${i}`, text: `${memory.content} See ${mark(i)}.` }));
  const asked = Array.from({ length: QUESTIONS }, () => corpus.pick(size));
  const questions = asked.flatMap((i): { kind: Kind; query: string; mark: string }[] => [
    { kind: 'an exact name', query: mark(i), mark: mark(i) },
    { kind: 'the name in a sentence', query: `what did we write down about ${mark(i)} last time`, mark: mark(i) },
    { kind: 'some of its words', query: corpus.query(made[i] ?? (made[0] as (typeof made)[0])).text, mark: mark(i) },
  ]);
  await using connected = await connect(server, folder);
  await connected.fill(memories.slice(0, size));
  const hits: Record<Kind, number> = { 'an exact name': 0, 'the name in a sentence': 0, 'some of its words': 0 };
  await connected.finds('warm up', 'nothing');
  const search = await latencies(questions, async (question) => {
    if (await connected.finds(question.query, question.mark)) hits[question.kind]++;
  });
  const write = await latencies(memories.slice(size), (memory) => connected.write(memory));
  return { write, search, found: hits };
};

const compared = (size: number, ours: Measured, name: string, theirs: Measured): readonly Figure[] => {
  const latency = (what: 'write' | 'search', share: number): Figure =>
    ratioFigure({ scenario: 'peers', name: `${what} p${share * 100}`, size, unit: 'ms' }, [percentile(ours[what], share)], {
      name: `${name} p${share * 100}`,
      rounds: [percentile(theirs[what], share)],
    });
  return [
    latency('write', 0.5),
    latency('write', 0.95),
    latency('search', 0.5),
    latency('search', 0.95),
    ...foundFigures(size, name, theirs),
  ];
};

const foundFigures = (size: number, name: string, { found }: Measured): readonly Figure[] =>
  Object.entries(found).map(([kind, hits]) =>
    plainFigure({ scenario: 'peers', name: `${name}: found in the first five by ${kind}`, size, unit: 'share' }, [hits / QUESTIONS]),
  );
