import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Figure, plainFigure, ratioFigure } from '../figures.js';
import { inTemporaryFolder } from '../folders.js';
import type { Built, Measured } from '../scale/parts.js';
import type { Scenario } from '../scenario.js';

const LEAST_FOUND = 0.98;
const MOST_GROWTH = 4;

export const scale: Scenario = {
  name: 'scale',
  about: 'the search indexes alone, made in the process and not through the log: exactness, time, memory, snapshot (named only)',
  named: true,
  run: async ({ sizes, say }) => {
    const measured: { size: number; built: Built; loaded: Measured }[] = [];
    for (const size of [...sizes].sort((a, b) => a - b)) {
      await inTemporaryFolder('scale', async (folder) => {
        say(`  building ${size}`);
        const built = await child<Built>('build', folder, size);
        say(`  asking ${size}`);
        measured.push({ size, built, loaded: await child<Measured>('measure', folder, size) });
      });
    }
    const [smallest] = measured;
    return measured.flatMap(({ size, built, loaded }) => [
      ...figuresOf(size, built, loaded),
      ...(smallest && size > smallest.size ? growthOf(size, loaded, smallest.size, smallest.loaded) : []),
    ]);
  },
};

/** In a process of its own, so that nothing of another size is in its memory. */
const child = async <T>(name: 'build' | 'measure', folder: string, size: number): Promise<T> => {
  const path = fileURLToPath(new URL(`../scale/${name}.js`, import.meta.url));
  const process = fork(path, [folder, String(size)], { execArgv: ['--expose-gc', '--max-old-space-size=8192'], serialization: 'advanced' });
  let answer: T | undefined;
  process.on('message', (message) => {
    answer = message as T;
  });
  const [code] = await once(process, 'exit');
  if (code !== 0 || answer === undefined) throw new Error(`${name} of ${size} memories ended with code ${code}`);
  return answer;
};

const figuresOf = (size: number, built: Built, { rounds, ...loaded }: Measured): Figure[] => {
  const named = (name: string, unit: Figure['unit']) => ({ scenario: 'scale', name, size, unit });
  const one = (name: string, unit: Figure['unit'], value: number, note?: string): Figure =>
    plainFigure({ ...named(name, unit), ...(note !== undefined && { note }) }, [value]);
  const exact = `the worst question: ${loaded.foundLeast}`;
  return [
    {
      ...one('recall@10 against exact', 'share', loaded.found, exact),
      target: { text: `≥ ${LEAST_FOUND}`, met: loaded.found >= LEAST_FOUND },
    },
    ...(['knn', 'words', 'hybrid'] as const).flatMap((way) =>
      (['processor', 'clock'] as const).flatMap((by) =>
        (['p50', 'p95'] as const).map((at) =>
          plainFigure(
            named(`${way} ${at}, ${by === 'clock' ? 'clock' : 'processor time'}`, 'ms'),
            rounds[way].map((round) => round[by][at]),
          ),
        ),
      ),
    ),
    one('words taken in, by processor time', 'per s', (1000 * size) / built.wordsMs),
    one('vectors taken in with their graph, by processor time', 'per s', (1000 * size) / built.graphMs),
    one('one more memory, both indexes, by processor time', 'per s', 1000 / built.insertMs),
    one('words, memory each', 'bytes', loaded.wordsBytes),
    one('vectors, memory each', 'bytes', loaded.vectorsBytes, `words and vectors: ${Math.round(loaded.heapBytes)} in the heap`),
    one('graph, memory each', 'bytes', loaded.graphBytes),
    one('snapshot, bytes each', 'bytes', built.bytes / size),
    one('snapshot saved', 'ms', built.saveMs),
    one('snapshot loaded', 'ms', loaded.loadMs),
    ...loaded.breadths.map(({ breadth, found, foundRescored, processorMs }) =>
      one(`${breadth} rows in view`, 'share', foundRescored, `${processorMs.toFixed(2)} ms; ${found.toFixed(3)} by the graph's own order`),
    ),
    ...(loaded.bytes
      ? [
          one(
            'a graph of bytes, 128 rows in view',
            'share',
            loaded.bytes.found.foundRescored,
            `${loaded.bytes.found.processorMs.toFixed(2)} ms; ${loaded.bytes.found.found.toFixed(3)} by its own order; ` +
              `${Math.round(loaded.bytes.graphBytes)} bytes a vector`,
          ),
        ]
      : []),
  ];
};

const growthOf = (size: number, large: Measured, smallSize: number, small: Measured): Figure[] =>
  (['processor', 'clock'] as const).map((by) =>
    ratioFigure(
      { scenario: 'scale', name: `hybrid p95, ${by === 'clock' ? 'clock' : 'processor time'}, against the smallest`, size, unit: 'ms' },
      large.rounds.hybrid.map((round) => round[by].p95),
      { name: `${smallSize} memories`, rounds: small.rounds.hybrid.map((round) => round[by].p95) },
      by === 'processor' && size === 1_000_000 ? { most: MOST_GROWTH } : undefined,
    ),
  );
