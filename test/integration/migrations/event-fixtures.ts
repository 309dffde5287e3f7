import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Redis } from 'iovalkey';
import type { DomainEvent } from '../../../domain/catalogue.js';
import { systemSubject } from '../../../domain/system/events.js';
import { appendOf, newId, newKey, openTestLog, TEST_TIME, type TestLog } from '../../support/eventlog.js';
import { SAMPLES } from './samples.js';

/** An event as it was stored: the fields of the stream entry, and the bytes beside it. `data` is what it said, for people. */
export type Fixture = {
  readonly type: string;
  readonly v: number;
  readonly envelope: Readonly<Record<string, string>>;
  readonly payload: string;
  readonly data: unknown;
};

const FOLDER = new URL('../../fixtures/events/', import.meta.url);
export const fixtureName = (type: string, v: number): string => `${type}.v${v}.json`;

export const readFixtures = (): readonly Fixture[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Fixture);

/** Stores a sample with the real log and keeps what was stored. Only for a type and version that has no fixture. */
export const writeFixture = async (test: TestLog, type: DomainEvent['type'], v: number): Promise<void> => {
  const data = SAMPLES[type];
  if (data === undefined) throw new Error(`Add a sample of ${type} to test/integration/migrations/samples.ts`);
  await using fresh = await openTestLog({ valkey: test.valkey });
  const { position, subject } = await store(fresh, { type, data } as DomainEvent);
  const [[, fields] = ['', []]] = await fresh.redis.xrange(fresh.keys.log, position, position);
  const envelope: Record<string, string> = {};
  for (let i = 0; i + 1 < fields.length; i += 2) envelope[fields[i] ?? ''] = fields[i + 1] ?? '';
  const payload = await fresh.redis.hgetBuffer(fresh.keys.payloads(subject), envelope.n ?? '');
  const fixture: Fixture = { type, v, envelope, payload: (payload ?? Buffer.alloc(0)).toString('base64'), data };
  writeFileSync(new URL(fixtureName(type, v), FOLDER), `${JSON.stringify(fixture, null, 2)}\n`);
};

const store = async (test: TestLog, event: DomainEvent): Promise<{ readonly position: string; readonly subject: string }> => {
  const subject = subjectFor(event.type);
  if (event.type !== 'MemoryForgotten') {
    const answer = await test.log.append(appendOf([{ subject, expected: 'any', events: [event] }]));
    return { subject, position: ('events' in answer && answer.events[0]?.position) || '' };
  }
  const subjects = [{ subject, expected: 0, deletes: [] }];
  const answer = await test.log.forget({ commandId: newId(), actor: 'test', at: TEST_TIME, subjects, result: {} });
  return { subject, position: ('events' in answer && answer.events[0]?.position) || '' };
};

/** A subject of the kind that events of this type happen to. */
export const subjectFor = (type: string): string => {
  if (isMemoryEvent(type)) return newKey();
  return type.startsWith('Topic') ? 'topic:weather' : systemSubject(TEST_TIME);
};

export const isMemoryEvent = (type: string): boolean =>
  /^(Memory|Licence|Provenance|Experience|Approach|Contradiction|Enrichment)/.test(type);

/** Puts a stored event into another log, byte for byte but for its place: which subject, and which version of it. */
export const plant = async (
  { redis, keys }: { readonly redis: Redis; readonly keys: TestLog['keys'] },
  { envelope, payload }: Fixture,
  subject: string,
  n: number,
): Promise<void> => {
  const fields = Object.entries({ ...envelope, subject, n: String(n) }).flat();
  await redis.xadd(keys.log, '*', ...fields);
  await redis.hset(keys.payloads(subject), String(n), Buffer.from(payload, 'base64'), 'v', n);
};
