import { expect, it } from 'vitest';
import { isDomainError } from '../../domain/errors.js';
import type { Append } from '../../services/eventlog/append.js';
import { TEST_SEED } from '../support/chance.js';
import { appendOf, newMemory, openTestLog, readEvents, revised, seededNumbers, type TestLog } from '../support/eventlog.js';

const ROUNDS = Number(process.env.TEST_ROUNDS ?? 12);
const WRITERS = 8;

/** Appends commands of two subjects until told to stop; what was acknowledged is noted the moment it is. */
const write = async ({ log }: TestLog, acknowledged: Append[], tried: Append[], running: AbortSignal): Promise<void> => {
  for (let i = 0; !running.aborted; i++) {
    const [one, two] = [newMemory(`one ${i}`), newMemory(`two ${i}`, { claims: [{ claim: `c${i}`, mode: 'ifFree' }] })];
    const command = appendOf([{ ...one, events: [...one.events, revised('uno')] }, two]);
    tried.push(command);
    try {
      await log.append(command);
      acknowledged.push(command);
    } catch (error) {
      if (!isDomainError(error, 'UNAVAILABLE')) throw error;
    }
  }
};

it(`keeps every acknowledged append when the server is killed at any moment (${ROUNDS} times)`, { timeout: 180_000 }, async () => {
  const random = seededNumbers(TEST_SEED);
  await using test = await openTestLog({ server: { aof: 'always' }, commandTimeoutMs: 2_000 });
  const acknowledged: Append[] = [];
  const tried: Append[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const running = new AbortController();
    const writers = Array.from({ length: WRITERS }, () => write(test, acknowledged, tried, running.signal));
    const before = acknowledged.length;
    while (acknowledged.length === before) await new Promise((resolve) => setTimeout(resolve, 1));
    await new Promise((resolve) => setTimeout(resolve, random() * 60));
    await test.valkey.kill();
    running.abort();
    await test.valkey.restart();
    await Promise.all(writers);

    const hint = `TEST_SEED=${TEST_SEED}, round ${round}`;
    const events = await readEvents(test.log);
    const found = new Map<string, string[]>();
    for (const { envelope } of events) {
      found.set(envelope.correlation, [...(found.get(envelope.correlation) ?? []), `${envelope.subject}/${envelope.n}`]);
    }
    const whole = ({ writes }: Append): string[] => writes.flatMap(({ subject, events: e }) => e.map((_, i) => `${subject}/${i + 1}`));
    for (const command of acknowledged) expect(found.get(command.commandId), hint).toEqual(whole(command));
    for (const command of tried) expect([undefined, whole(command)], hint).toContainEqual(found.get(command.commandId));
    const known = new Set(tried.map(({ commandId }) => commandId));
    expect(
      [...found.keys()].filter((id) => !known.has(id)),
      hint,
    ).toEqual([]);
    const sample = tried.slice(-50).flatMap(({ writes }) => writes.map(({ subject }) => subject));
    const histories = await test.log.load(sample);
    expect(
      histories.map(({ events: e }) => e.length),
      hint,
    ).toEqual(histories.map(({ version }) => version));
  }
  expect(acknowledged.length).toBeGreaterThan(ROUNDS);
});
