import type { Call } from '../../services/api.js';
import type { OpenApp } from '../../services/app.js';
import { ModelError } from '../../services/llm/port.js';
import { seededNumbers, seededRandom } from '../support/eventlog.js';
import type { Asked } from '../support/models.js';

const DAY = 86_400_000;
/** Fixed, so that the same seed makes the same times; the log then spans so many days. */
export const BEGINNING = Date.parse('2026-01-05T08:00:00.000Z');
const SPAN = 120 * DAY;

const WORDS =
  'staging production deploy rollback cache tenant locale billing invoice retry webhook timeout kernel driver socket queue worker lease token index vector query planner schema column shard replica failover snapshot parser lexer grammar compiler linker bundle route handler session cookie header proxy certificate rotation region zone cluster node volume mount quota limit throttle burst latency percentile histogram trace span metric alert pager runbook incident postmortem owner review branch rebase tag release canary harbour lantern orchard quarry meadow glacier basalt copper walnut saffron velvet thunder ember falcon otter badger heron'.split(
    ' ',
  );
const ACTORS = ['mcp:claude-code/2.1.0', 'cli', 'mcp:cursor/1.0'];
export const PROJECTS = ['blue', 'green', 'ochre'] as const;
export const TOPICS = ['lantern', 'saffron rollback', 'walnut'] as const;

/** A clock that only a test moves. */
export type Clock = { now: number };

/** What the generator knows of what it has done, and all its chances: they follow from the seed alone. */
export type World = {
  readonly opened: Pick<OpenApp, 'app' | 'log' | 'redis' | 'keys'>;
  readonly clock: Clock;
  readonly chance: () => number;
  readonly below: (bound: number) => number;
  readonly from: <T>(items: readonly T[]) => T;
  readonly text: (words?: number) => string;
  /** ISO, so many days from the clock. */
  readonly date: (days: number) => string;
  readonly id: () => string;
  /** A call with a command id of its own, which is noted for undo. */
  readonly call: () => Call;
  readonly correlations: string[];
  readonly live: string[];
  readonly documents: string[];
  /** Projects that are made to be merged, shelved and deleted. */
  readonly errands: string[];
  readonly pairs: (readonly [string, string])[];
  readonly someKey: () => string;
  readonly gone: (keys: readonly string[]) => void;
  /** Resolves when no memory waits for its facts. */
  readonly enriched: () => Promise<void>;
  /** Commands that the rules refused, by code. */
  readonly refused: Map<string, number>;
  /** Times each deed was done. */
  readonly done: Map<string, number>;
};

/** The clock and the ids of an app, and the world of whoever drives it. `size` in events. */
export const seededWorld = (seed: number, size: number) => {
  const chance = seededNumbers(seed);
  const clock: Clock = { now: BEGINNING };
  const random = seededRandom(seed);
  const ids = seededRandom(seed + 1_000_000_007);
  const below = (bound: number): number => Math.floor(chance() * bound);
  const from = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const live: string[] = [];
  const correlations: string[] = [];
  const id = (): string => ids.ulid(clock.now);
  const base = {
    clock,
    chance,
    below,
    from,
    text: (words = 5 + below(7)) => `${Array.from({ length: words }, () => from(WORDS)).join(' ')} ${below(100_000)}`,
    date: (days: number) => new Date(clock.now + days * DAY).toISOString(),
    id,
    call: (): Call => {
      const commandId = id();
      correlations.push(commandId);
      return { actor: from(ACTORS), commandId };
    },
    correlations,
    live,
    documents: [],
    errands: [],
    pairs: [],
    someKey: () => from(live),
    gone: (keys: readonly string[]) => {
      for (const key of keys) {
        const place = live.indexOf(key);
        if (place >= 0) live.splice(place, 1);
      }
    },
    refused: new Map<string, number>(),
    done: new Map<string, number>(),
  };
  return {
    options: { now: () => clock.now, random },
    /** Time goes on by some minutes or hours. */
    pass: () => {
      clock.now += Math.floor((chance() * 3 * SPAN) / size);
    },
    worldOf: (opened: World['opened']): World => ({
      ...base,
      opened,
      enriched: async () => {
        for (const end = performance.now() + 60_000; ; ) {
          const { pending, in_flight } = await opened.app.queries.queueStatus({ actor: 'test' });
          if (pending + in_flight === 0) return;
          if (performance.now() > end) throw new Error(`${pending} memories still wait for their facts`);
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      },
    }),
  };
};

/** A text with this word makes the model fail for good. */
export const ILLEGIBLE = 'illegible';

/** What the language model answers: facts that say the source's own words, the same for the same text. */
export const answerOf = ({ purpose, prompt }: Asked): unknown => {
  if (purpose === 'contradiction') return { is_contradiction: true, confidence: 0.9, explanation: 'They differ in a value.' };
  if (purpose === 'expansion') return [];
  if (prompt.includes(ILLEGIBLE)) throw new ModelError('REJECTED', 'not accepted');
  const words = prompt.match(/[a-z]{4,}/g)?.slice(-6) ?? [];
  return [
    { text: `Somebody wrote of ${words.slice(0, 4).join(' ')} once.`, kind: 'fact' },
    { text: `They like ${words.slice(2).join(' ')} best.`, kind: 'preference' },
  ];
};
