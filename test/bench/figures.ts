/** One line of the table: what was measured and, in the same run, the baseline that it is compared with. */
export type Figure = {
  readonly scenario: string;
  readonly name: string;
  /** Memories in the store, where the figure depends on them. */
  readonly size?: number;
  readonly unit: 'per s' | 'ms' | 'bytes' | 'share';
  readonly value: number;
  /** The lowest and highest round; `value` is their median. */
  readonly range?: readonly [low: number, high: number];
  readonly baseline?: { readonly name: string; readonly value: number };
  /** `value` over the baseline's. */
  readonly ratio?: number;
  readonly target?: { readonly text: string; readonly met: boolean };
  readonly note?: string;
};

/** What a target asks of the ratio. */
export type Bound = { readonly least: number } | { readonly most: number } | { readonly above: number };

export const ratioFigure = (
  figure: Omit<Figure, 'value' | 'range' | 'baseline' | 'ratio' | 'target'>,
  rounds: readonly number[],
  baseline: { readonly name: string; readonly rounds: readonly number[] },
  bound?: Bound,
): Figure => {
  const against = median(baseline.rounds);
  // Rounds are interleaved, so that what slows one of a pair slows the other: the ratio is the median of the pairs' ratios.
  const ratio = median(rounds.map((value, i) => value / (baseline.rounds[i] ?? against)));
  return {
    ...figure,
    ...spread(rounds),
    baseline: { name: baseline.name, value: against },
    ratio,
    ...(bound && { target: judged(ratio, bound) }),
  };
};

export const plainFigure = (figure: Omit<Figure, 'value' | 'range'>, rounds: readonly number[]): Figure => ({
  ...figure,
  ...spread(rounds),
});

const spread = (rounds: readonly number[]): Pick<Figure, 'value' | 'range'> => ({
  value: median(rounds),
  ...(rounds.length > 1 && { range: [Math.min(...rounds), Math.max(...rounds)] as const }),
});

const judged = (ratio: number, bound: Bound): Figure['target'] => {
  if ('least' in bound) return { text: `≥ ${bound.least}`, met: ratio >= bound.least };
  if ('above' in bound) return { text: `> ${bound.above}`, met: ratio > bound.above };
  return { text: `≤ ${bound.most}`, met: ratio <= bound.most };
};

/** Nearest rank: the least value that `share` of the values do not exceed. NaN without values. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Milliseconds that the work took. */
export const timed = async (work: () => unknown): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

/** Milliseconds of each item's work, one after the other. */
export const latencies = async <Item>(items: readonly Item[], work: (item: Item) => unknown): Promise<number[]> => {
  const taken: number[] = [];
  for (const item of items) taken.push(await timed(() => work(item)));
  return taken;
};

/** Runs `count` items of work with so many callers at once, each beginning its next when its last is done. */
export const byCallers = async (callers: number, count: number, work: (i: number) => Promise<unknown>): Promise<void> => {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: callers }, caller));
};
