import { assertRoom } from '../disk.js';
import type { createMetrics } from '../ops/metrics.js';
import { erasureOf } from './forget.js';
import type { EventLog } from './log.js';

const ROOM_CHECK_MS = 500;

/** The log as writers get it: counted, and refusing new things while the disk is nearly full. Forgetting goes through. */
export const guarded = (log: EventLog, metrics: ReturnType<typeof createMetrics>, assertDisk: () => Promise<void>): EventLog => ({
  ...log,
  append: async (append) => {
    await assertDisk();
    const answer = await log.append(append);
    if (answer.outcome === 'appended') for (const { type } of append.writes.flatMap(({ events }) => events)) metrics.appended(type);
    else if (answer.outcome !== 'repeated') metrics.refused(answer.outcome);
    return answer;
  },
  forget: async (forget) => {
    const answer = await log.forget(forget);
    if (answer.outcome === 'appended') for (const { subject } of forget.subjects) metrics.appended(erasureOf(subject).type);
    return answer;
  },
});

/** Asks the disk at most twice a second. `called`: what the folder is called to whoever is refused. */
export const roomKeeper = (dataDir: string, minFreeBytes: number, called = dataDir): (() => Promise<void>) => {
  let last = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve() };
  return () => {
    const now = performance.now();
    if (now - last.at > ROOM_CHECK_MS) last = { at: now, answer: assertRoom(dataDir, minFreeBytes, called) };
    return last.answer;
  };
};
