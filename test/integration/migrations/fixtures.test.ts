import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue, type DomainEvent } from '../../../domain/catalogue.js';
import { readDegraded } from '../../../projections/dead-letter.js';
import { servingGeneration } from '../../../projections/generation.js';
import { decodePayload } from '../../../services/eventlog/payload.js';
import { PROJECTIONS } from '../../../services/views.js';
import { openTestLog, readAll, type TestLog } from '../../support/eventlog.js';
import { caughtUp, expectVerified, projectorDeps, startProjector } from '../../support/projector.js';
import { type Fixture, fixtureName, isMemoryEvent, plant, readFixtures, subjectFor, writeFixture } from './event-fixtures.js';

/** Every type with every version that was ever written. */
const wanted = catalogue.fingerprint.split(',').flatMap((entry) => {
  const [type = '', version] = entry.split('@');
  return Array.from({ length: Number(version) }, (_, i) => ({ type: type as DomainEvent['type'], v: i + 1 }));
});

let test: TestLog;
let fixtures: readonly Fixture[];
beforeAll(async () => {
  test = await openTestLog();
  const known = new Set(readFixtures().map(({ type, v }) => fixtureName(type, v)));
  const present = wanted.filter(({ type, v }) => catalogue.fingerprint.split(',').includes(`${type}@${v}`));
  if (process.env.UPDATE_FIXTURES) {
    for (const { type, v } of present) if (!known.has(fixtureName(type, v))) await writeFixture(test, type, v);
  }
  fixtures = readFixtures();
});
afterAll(() => test.close());

describe('every event ever written', () => {
  it('is kept as it was stored (UPDATE_FIXTURES=1 adds the missing ones, and never writes one again)', () => {
    const kept = fixtures.map(({ type, v }) => fixtureName(type, v)).sort();
    expect(kept).toEqual(wanted.map(({ type, v }) => fixtureName(type, v)).sort());
  });

  it('is a payload of the type and version that its name says', () => {
    for (const { type, v, payload, envelope } of fixtures) {
      expect(decodePayload(Buffer.from(payload, 'base64'))).toMatchObject({ type, v });
      expect(envelope).toMatchObject({ type, v: String(v) });
    }
  });

  it('is read, lifted and replayed into every view', async () => {
    const birth = fixtures.find(({ type }) => type === 'MemoryRemembered');
    if (!birth) throw new Error('no fixture of a birth');
    await using fresh = await openTestLog({ valkey: test.valkey });
    const versions = new Map<string, number>();
    const next = (subject: string): number => {
      const n = (versions.get(subject) ?? 0) + 1;
      versions.set(subject, n);
      return n;
    };
    for (const fixture of fixtures) {
      const subject = subjectFor(fixture.type);
      if (isMemoryEvent(fixture.type) && fixture.type !== 'MemoryRemembered') await plant(fresh, birth, subject, next(subject));
      const n = next(subject);
      await plant(fresh, fixture, subject, n);
      if (fixture.type !== 'MemoryForgotten') continue;
      await fresh.redis.hdel(fresh.keys.payloads(subject), ...Array.from({ length: n - 1 }, (_, i) => String(i + 1)));
      await fresh.redis.hset(fresh.keys.payloads(subject), 'f', n);
    }

    const entries = await readAll(fresh.log);
    expect(entries.filter(({ kind }) => kind === 'fault')).toEqual([]);
    const events = entries.flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
    for (const { type, v, envelope, data } of fixtures) {
      const event = events.find((one) => one.envelope.id === envelope.id);
      expect(event?.type, `${type} version ${v}`).toBe(type);
      if (catalogue.fingerprint.split(',').includes(`${type}@${v}`)) expect(event?.data).toEqual(data);
    }
    expect((await fresh.log.load([...versions.keys()])).map(({ version }) => version)).toEqual([...versions.values()]);

    await using projector = startProjector(projectorDeps(fresh), PROJECTIONS);
    await caughtUp(projector);
    for (const { name } of PROJECTIONS) {
      const generation = await servingGeneration(fresh.redis, fresh.keys, name);
      expect([...(await readDegraded(fresh.redis, fresh.keys, name, generation ?? 0))], name).toEqual([]);
    }
    await expectVerified(projector.deps, PROJECTIONS);
  });
});
