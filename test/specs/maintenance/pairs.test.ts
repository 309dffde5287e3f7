import { describe, expect, it } from 'vitest';
import { isDomainError } from '../../../domain/errors.js';
import { flagPair, type Member, type Resolution, resolvePair, standing } from '../../../domain/maintenance/pairs.js';
import { sideDecider } from '../../../domain/maintenance/side.js';
import type { MemoryEvent } from '../../../domain/memory/events.js';

const [A, B] = ['mem:episodic:01JAAAAAAAAAAAAAAAAAAAAAAA', 'mem:episodic:01JBBBBBBBBBBBBBBBBBBBBBBB'];

const born: MemoryEvent = {
  type: 'MemoryRemembered',
  data: { namespace: 'episodic', content: 'text', tags: [], mode: 'raw', licence: 'own', provenance: 'concluded' },
};
const revised: MemoryEvent = { type: 'MemoryRevised', data: { content: 'another text' } };
const archived: MemoryEvent = { type: 'MemoryArchived', data: {} };
const forgotten: MemoryEvent = { type: 'MemoryForgotten', data: {} };
const flag = (other: string): MemoryEvent => ({
  type: 'ContradictionFlagged',
  data: { with: other, method: 'heuristic', cue: 'avoid/use' },
});
const resolve = (other: string): MemoryEvent => ({ type: 'ContradictionResolved', data: { with: other } });

const member = (key: string, ...past: readonly MemoryEvent[]): Member => ({
  key,
  side: past.reduce(sideDecider.evolve, sideDecider.initialState()),
});
const a = (...more: readonly MemoryEvent[]): Member => member(A, born, ...more);
const b = (...more: readonly MemoryEvent[]): Member => member(B, born, ...more);

const HOW = { method: 'heuristic', cue: 'avoid/use' } as const;
const settle = (one: Member, other: Member, how: Partial<Resolution> = {}) => resolvePair(one, other, { deprioritise: true, ...how });

describe('flagging a pair', () => {
  it('is written on both, naming the other', () => expect(flagPair(a(), b(), HOW)).toEqual([[flag(B)], [flag(A)]]));
  it('is not done twice', () => expect(flagPair(a(flag(B)), b(flag(A)), HOW)).toEqual([[], []]));
  it('mends a flag that only one of them has', () => expect(flagPair(a(flag(B)), b(), HOW)).toEqual([[], [flag(A)]]));
  it('is not done again once people settled it', () => {
    const pair = [a(flag(B), resolve(B)), b(flag(A), resolve(A))] as const;
    expect(standing(...pair)).toBe('settled');
    expect(flagPair(...pair, HOW)).toEqual([[], []]);
  });
  it.each<readonly [string, Member, Member]>([
    ['the one', a(flag(B), resolve(B), revised), b(flag(A), resolve(A))],
    ['the other', a(flag(B), resolve(B)), b(flag(A), resolve(A), revised)],
  ])('is done again after %s was revised', (_which, one, other) => {
    expect(flagPair(one, other, HOW)).toEqual([[flag(B)], [flag(A)]]);
  });
  it.each([archived, forgotten])('is not done when one of them is not active any more', (event) => {
    expect(flagPair(a(event), b(), HOW)).toEqual([[], []]);
    expect(flagPair(a(), b(event), HOW)).toEqual([[], []]);
  });
});

describe('resolving a pair', () => {
  const open = [a(flag(B)), b(flag(A))] as const;

  it('settles it on both and sets aside the one that does not hold, naming the one that does', () =>
    expect(settle(...open, { keep: B, note: 'B is newer' })).toEqual([
      [
        { type: 'ContradictionResolved', data: { with: B, keep: B, note: 'B is newer' } },
        { type: 'MemoryDeprioritised', data: { reason: expect.stringContaining(B), reinstate_hints: [] } },
      ],
      [{ type: 'ContradictionResolved', data: { with: A, keep: B, note: 'B is newer' } }],
    ]));
  it('sets nothing aside when both hold', () => expect(settle(...open)).toEqual([[resolve(B)], [resolve(A)]]));
  it('sets nothing aside when told not to', () =>
    expect(
      settle(...open, { keep: A, deprioritise: false })
        .flat()
        .map(({ type }) => type),
    ).toEqual(['ContradictionResolved', 'ContradictionResolved']));
  it('leaves an archived one archived', () =>
    expect(
      settle(a(flag(B)), b(flag(A), archived), { keep: A })
        .flat()
        .map(({ type }) => type),
    ).toEqual(['ContradictionResolved', 'ContradictionResolved']));
  it('closes what only one of them has', () => expect(settle(a(flag(B)), b())).toEqual([[resolve(B)], []]));
  it('keeps what else contradicts', () => {
    const third = 'mem:episodic:01JCCCCCCCCCCCCCCCCCCCCCCC';
    expect(settle(a(flag(B), flag(third)), b(flag(A)))).toEqual([[resolve(B)], [resolve(A)]]);
  });

  it.each<readonly [string, string, Member, Member]>([
    ['CONFLICT', 'not flagged', a(), b()],
    ['CONFLICT', 'resolved before', a(flag(B), resolve(B)), b(flag(A), resolve(A))],
    ['NOT_FOUND', 'forgotten', a(flag(B)), b(flag(A), forgotten)],
    ['NOT_FOUND', 'No memory', a(flag(B)), member(B)],
  ])('is refused with %s: %s', (code, words, one, other) => {
    let refusal: unknown;
    try {
      settle(one, other);
    } catch (error) {
      refusal = error;
    }
    if (!isDomainError(refusal)) throw new Error('it was not refused');
    expect(refusal).toMatchObject({ code, message: expect.stringContaining(words), hint: expect.any(String) });
  });
});
