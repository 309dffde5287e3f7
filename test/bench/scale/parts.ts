/** The name under which the vectors of the made snapshots go. */
export const MODEL = 'made';

/** In the folder of a snapshot: memories to make questions from. */
export const SAMPLE_FILE = 'sample.json';

/** Processor time since `start`, of all threads. */
export const processorMs = (start: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
};

/** What the making of the two indexes took: processor time, but for `saveMs`. */
export type Built = {
  readonly wordsMs: number;
  readonly graphMs: number;
  /** One more memory in both indexes. */
  readonly insertMs: number;
  readonly saveMs: number;
  /** Of the whole snapshot. */
  readonly bytes: number;
};

/** One search of every question of a round, milliseconds: by the clock, and by the processor time of all threads. */
export type Round = { readonly clock: Percentiles; readonly processor: Percentiles };

export type Percentiles = { readonly p50: number; readonly p95: number };

/** A graph that is searched on its own: how many of the exact ten nearest are among the first ten and, scored again exactly, of 26. */
export type GraphFound = {
  readonly breadth: number;
  readonly found: number;
  readonly foundRescored: number;
  readonly processorMs: number;
};

/** What the indexes do after a load in a process of their own. */
export type Measured = {
  readonly loadMs: number;
  /** Per memory: objects and arrays of the words, those of the vectors, and the file of the graph, which is as large in memory. */
  readonly wordsBytes: number;
  readonly vectorsBytes: number;
  readonly graphBytes: number;
  /** Per memory, what of all of it is objects: the heap of V8 has a limit of its own. */
  readonly heapBytes: number;
  /** Mean and lowest share of the exact ten nearest of a question. */
  readonly found: number;
  readonly foundLeast: number;
  readonly rounds: Readonly<Record<'knn' | 'words' | 'hybrid', readonly Round[]>>;
  readonly breadths: readonly GraphFound[];
  /** The same vectors in a graph of one byte a number, with its bytes per memory; of small stores only. */
  readonly bytes?: { readonly found: GraphFound; readonly graphBytes: number };
};
