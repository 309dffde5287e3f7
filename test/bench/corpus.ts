import { NAMESPACES, type Namespace } from '../../domain/vocabulary.js';

export const DIMENSION = 384;

const CLUSTERS = 300;
const VOCABULARY = 30_000;
const TOPIC_WORDS = 150;
const PROJECTS = 200;
/** Shares of words: plain English glue, words of the memory's topic; the rest follows Zipf's law over the vocabulary. */
const GLUE_SHARE = 0.4;
const TOPIC_SHARE = 0.2;
const GLUE =
  'the a of to in is it and for that with on was as at by we not are this from be or an after when because so which its has had were but'.split(
    ' ',
  );
const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo ya zen bran cor dul ster mon tis val nar lim'.split(' ');

export type MadeMemory = {
  readonly content: string;
  readonly namespace: Namespace;
  readonly project: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly vector: Float32Array;
};

export type MadeQuery = { readonly text: string; readonly vector: Float32Array };

/** Made-up developer memories: the same for the same seed. Vectors lie in clusters, and texts of a cluster share words. */
export type Corpus = {
  readonly memory: () => MadeMemory;
  /** A question that a memory answers: some of its rarer words in another order, and a vector near its own. */
  readonly query: (memory: Pick<MadeMemory, 'content' | 'vector'>) => MadeQuery;
  readonly pick: (below: number) => number;
};

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

export const createCorpus = (seed: number, now: number): Corpus => {
  // What all corpora share, so that memories of one seed and questions of another speak of the same topics.
  const world = generator(1);
  const words = vocabulary(world);
  const centres = Array.from({ length: CLUSTERS }, () => unit(noise(world)));
  const topics = centres.map(() => Array.from({ length: TOPIC_WORDS }, () => words[Math.floor(world() * VOCABULARY)] ?? ''));

  const random = generator(seed);
  const pick = (below: number): number => Math.floor(random() * below);
  const from = <Item>(items: readonly Item[]): Item => items[pick(items.length)] as Item;
  // The density falls with the rank: word number r is drawn about 1/r times as often as the first.
  const common = (): string => words[Math.floor(VOCABULARY ** random()) - 1] ?? '';
  const near = (centre: Float32Array, distance: number): Float32Array => {
    const away = unit(noise(random));
    return unit(centre.map((value, i) => value + distance * (away[i] ?? 0)));
  };
  const identifier = (): string => {
    const [a, b] = [common(), common()];
    return from([
      () => `ERR_${a.toUpperCase()}_${100 + pick(900)}`,
      () => `src/${a}/${b}.ts`,
      () => `${a}${capital(b)}()`,
      () => `${a}-${b}@${pick(9)}.${pick(20)}.${pick(9)}`,
      () => `${a}_${b}_${pick(100)}`,
    ])();
  };
  const word = (topic: readonly string[]): string => {
    const kind = random();
    if (kind < GLUE_SHARE) return from(GLUE);
    return kind < GLUE_SHARE + TOPIC_SHARE ? from(topic) : common();
  };
  const namespace = (): Namespace => (random() < 0.7 ? 'episodic' : from(NAMESPACES));

  return {
    pick,
    memory: () => {
      const cluster = pick(CLUSTERS);
      const topic = topics[cluster] as readonly string[];
      const text = Array.from({ length: 60 + pick(61) }, () => word(topic));
      for (let i = 1 + pick(4); i > 0; i--) text[pick(text.length)] = identifier();
      for (let i = 9 + pick(8); i < text.length; i += 8 + pick(10)) text[i] = `${text[i]}.`;
      return {
        content: `${capital(text.join(' '))}.`,
        namespace: namespace(),
        project: `project-${pick(PROJECTS)}`,
        at: Math.floor(now - random() * YEAR_MS),
        vector: near(centres[cluster] as Float32Array, 0.8),
      };
    },
    query: ({ content, vector }) => {
      const rarer = content.split(/[\s.]+/).filter((text) => text.length > 4);
      const asked = Array.from({ length: 4 + pick(5) }, () => from(rarer));
      for (let i = pick(4); i > 0; i--) asked.splice(pick(asked.length), 0, from(GLUE));
      return { text: asked.join(' '), vector: near(vector, 0.5) };
    },
  };
};

const vocabulary = (random: () => number): string[] => {
  const words = new Set<string>();
  while (words.size < VOCABULARY) {
    const length = 2 + Math.floor(random() * 3);
    words.add(Array.from({ length }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join(''));
  }
  return [...words];
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Sums of three even numbers: close enough to normal. */
const noise = (random: () => number): Float32Array => Float32Array.from({ length: DIMENSION }, () => random() + random() + random() - 1.5);

const unit = (vector: Float32Array): Float32Array => {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / norm);
};

/** Mulberry32: the same numbers for the same seed. */
const generator = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};
