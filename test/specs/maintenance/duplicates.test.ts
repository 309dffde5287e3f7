import { describe, expect, it } from 'vitest';
import { knowsMore, needless, saysAllOf } from '../../../domain/maintenance/duplicates.js';
import { sideDecider } from '../../../domain/maintenance/side.js';
import type { MemoryEvent } from '../../../domain/memory/events.js';
import { type Experience, NO_EXPERIENCE } from '../../../domain/memory/experience.js';
import { MINILM_THRESHOLDS } from '../../../domain/similarity.js';

const says = (newer: string, older: string, cosine: number): boolean => saysAllOf(newer, older, cosine, MINILM_THRESHOLDS);

describe('a newer memory makes an older one needless', () => {
  it.each([
    ['filler words apart', 'The nightly job is running on the replica', 'Nightly job running on replica'],
    ['reworded', 'The big monolith stores session data inside Redis', 'The monolith keeps sessions inside Redis'],
  ])('%s, and alike', (_why, newer, older) => expect(says(newer, older, 0.95)).toBe(true));

  it('equal texts, whatever the vectors say', () =>
    expect(says('Deploys  go out on weekdays.', 'deploys go out on weekdays.', 0)).toBe(true));
  it.each([
    ['it gives another value', 'Staging listens on port 8082', 'Staging listens on port 8081'],
    ['it denies it', 'Do not run migrations on start', 'Run migrations on start'],
    ['it says less', 'Deploys need the VPN', 'Deploys need the VPN and the second factor of the release manager'],
    ['it is another sentence', 'Billing retries a webhook for a day', 'The search index is rebuilt at night'],
  ])('not when %s, however alike the vectors are', (_why, newer, older) => expect(says(newer, older, 0.99)).toBe(false));

  it('not below the threshold', () =>
    expect(says('The nightly job is running on the replica', 'Nightly job running on replica', 0.91)).toBe(false));
});

describe('a chain of likenesses', () => {
  const member = (key: string) => ({ key });
  const alikeBy = (pairs: readonly string[]) => (newer: { key: string }, older: { key: string }) =>
    pairs.includes(newer.key + older.key) || pairs.includes(older.key + newer.key);
  const run = (keys: readonly string[], pairs: readonly string[]) => {
    const members = keys.map(member);
    return needless(members, () => members, alikeBy(pairs)).map(({ older, kept }) => `${older.key} for ${kept.key}`);
  };

  it('takes only what is like the newest itself', () => expect(run(['c', 'b', 'a'], ['cb', 'ba'])).toEqual(['b for c']));
  it('keeps the newest of each cluster', () => expect(run(['d', 'c', 'b', 'a'], ['db', 'ca', 'cb'])).toEqual(['b for d', 'a for c']));
  it('never takes the last one', () => expect(run(['b', 'a'], ['ba'])).toEqual(['a for b']));
});

describe('experience that the newer memory lacks', () => {
  const knows = (more: Partial<Experience>): Experience => ({ ...NO_EXPERIENCE, ...more });
  const deadEnd = { name: 'SQLite', type: 'library' as const, reason: 'locks', attempted_at: '2026-01-01T00:00:00.000Z' };

  it.each<readonly [string, Experience, Experience, boolean]>([
    ['nothing', knows({}), knows({ effort_score: 3 }), false],
    ['an effort', knows({ effort_score: 3 }), knows({}), true],
    ['a breakthrough', knows({ breakthrough: 'lock order' }), knows({ breakthrough: 'another' }), true],
    ['a dead end', knows({ abandoned_approaches: [deadEnd] }), knows({}), true],
    [
      'the same dead end',
      knows({ abandoned_approaches: [deadEnd] }),
      knows({ abandoned_approaches: [{ ...deadEnd, name: 'sqlite' }] }),
      false,
    ],
    ['the same effort', knows({ effort_score: 3 }), knows({ effort_score: 3 }), false],
  ])('%s', (_what, older, newer, more) => expect(knowsMore(older, newer)).toBe(more));
});

describe('what somebody brought back', () => {
  const born: MemoryEvent = {
    type: 'MemoryRemembered',
    data: { namespace: 'episodic', content: 'text', tags: [], mode: 'raw', licence: 'own', provenance: 'concluded' },
  };
  const after = (...past: readonly MemoryEvent[]) => past.reduce(sideDecider.evolve, sideDecider.initialState()).broughtBack;

  it('is wanted until its text changes', () => {
    const archived: MemoryEvent = { type: 'MemoryArchived', data: {} };
    const back: MemoryEvent = { type: 'MemoryReinstated', data: {} };
    expect(after(born, archived)).toBe(false);
    expect(after(born, archived, back)).toBe(true);
    expect(after(born, archived, back, { type: 'MemoryRevised', data: { content: 'new' } })).toBe(false);
  });
});
