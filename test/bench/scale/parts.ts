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

/** One search of every question of a round, milliseconds. `processor` is that of all threads, an average. */
export type Round = { readonly p50: number; readonly p95: number; readonly processor: number };

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
  /** Per memory, resident: words, then vectors with their graph. `heapBytes`: what of both is objects. */
  readonly wordsBytes: number;
  readonly vectorsBytes: number;
  readonly heapBytes: number;
  /** Mean and lowest share of the exact ten nearest of a question. */
  readonly found: number;
  readonly foundLeast: number;
  readonly rounds: Readonly<Record<'knn' | 'words' | 'hybrid', readonly Round[]>>;
  readonly breadths: readonly GraphFound[];
  /** The same vectors in a graph of one byte a number, with the bytes of both graphs; of small stores only. */
  readonly bytes?: { readonly found: GraphFound; readonly graph: number; readonly halves: number };
};
