import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byScoreThenKey,
  DEFAULT_SCORING,
  experienceWeight,
  recency,
  type Scorable,
  scoreMemory,
  surfaceScore,
} from '../../../domain/scoring.js';
import { OUTCOMES, STATES } from '../../../domain/vocabulary.js';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 4);
const daysOld = (days: number) => NOW - days * DAY;
const memory = (over: Partial<Scorable> = {}): Scorable => ({ state: 'active', isFact: false, createdAt: NOW, ...over });

describe('surface', () => {
  it('follows the state', () => expect(STATES.map((state) => surfaceScore(state, false, 0.2))).toEqual([1, 0.2, 0]));
  it('takes the weight of deprioritised memories from the settings', () => expect(surfaceScore('deprioritised', false, 0.35)).toBe(0.35));
  it('hazard 12: a fact weighs half and never more than that, in any state', () => {
    expect(STATES.map((state) => surfaceScore(state, true, 0.2))).toEqual([0.5, 0.2, 0]);
    expect(surfaceScore('deprioritised', true, 0.9)).toBe(0.5);
  });
});

describe('recency', () => {
  it.each([
    [0, 1],
    [90, 1],
    [120, 0.95],
    [390, 0.5],
    [510, 0.3],
    [5_000, 0.3],
    [-30, 1],
  ])('at %i days is %d', (days, expected) => expect(recency(daysOld(days), NOW, 90)).toBeCloseTo(expected, 10));
  it('hazard 13: counts a corrupt time as new instead of poisoning the score', () => expect(recency(Number.NaN, NOW, 90)).toBe(1));
});

describe('experience', () => {
  it('is the table of outcome by effort', () => {
    const table = OUTCOMES.map((outcome) => [1, 2, 3, 4, 5].map((effort) => experienceWeight(outcome, effort)));
    expect(table).toEqual([
      [1, 1.1, 1.25, 1.5, 1.8],
      [0.7, 0.77, 0.875, 1.05, 1.26],
      [0.1, 0.1, 0.1, 0.1, 0.1],
    ]);
  });
  it('is 1 when nothing is recorded, and effort alone counts', () => {
    expect(experienceWeight(undefined, undefined)).toBe(1);
    expect(experienceWeight(undefined, 5)).toBe(1.8);
    expect(experienceWeight('pivoted', undefined)).toBe(0.7);
    expect(experienceWeight('succeeded', 9)).toBe(1);
  });
});

describe('a reinstate candidate', () => {
  it('is deprioritised, and scores 0.6 for a question that meets one of its hints', () => {
    const hidden = memory({ state: 'deprioritised' });
    expect(scoreMemory(hidden, { similarity: 0.5, meetsHint: true }, { now: NOW })).toMatchObject({ score: 0.6, reinstateCandidate: true });
    for (const other of [
      scoreMemory(hidden, { similarity: 0.5 }, { now: NOW }),
      ...(['active', 'archived'] as const).map((state) =>
        scoreMemory(memory({ state }), { similarity: 0.5, meetsHint: true }, { now: NOW }),
      ),
    ])
      expect(other).not.toHaveProperty('reinstateCandidate');
    expect(scoreMemory(hidden, { similarity: 0.5 }, { now: NOW }).score).toBe(0.1);
  });
});

describe('a score', () => {
  it('is the product of all factors, each shown', () => {
    const old = memory({ createdAt: daysOld(120), outcome: 'succeeded', effort: 3, eventDate: NOW });
    expect(scoreMemory(old, { similarity: 0.8, lexical: 0.4, vector: 0.9 }, { now: NOW, dateHint: NOW })).toEqual({
      similarity: 0.8,
      surface: 1,
      recency: 0.95,
      experience: 1.25,
      temporal: 1.5,
      score: 1.425,
      lexical: 0.4,
      vector: 0.9,
    });
  });
  it('S05: a date word never lowers a score', () => {
    const unscored = scoreMemory(memory(), { similarity: 0.7 }, { now: NOW });
    for (const eventDate of [undefined, daysOld(5_000), NOW])
      expect(scoreMemory(memory({ eventDate }), { similarity: 0.7 }, { now: NOW, dateHint: NOW }).score).toBeGreaterThanOrEqual(
        unscored.score,
      );
  });
  it('is finite, not negative, of 6 digits, and equals the product of the factors it shows', () => {
    const anyMemory = fc.record<Scorable>({
      state: fc.constantFrom(...STATES),
      isFact: fc.boolean(),
      createdAt: fc.integer({ min: 0, max: NOW * 2 }),
      outcome: fc.option(fc.constantFrom(...OUTCOMES), { nil: undefined }),
      effort: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
      eventDate: fc.option(fc.integer({ min: 0, max: NOW }), { nil: undefined }),
    });
    fc.assert(
      fc.property(anyMemory, fc.double({ min: -1, max: 1.1, noNaN: true }), (scored, similarity) => {
        const {
          score,
          surface,
          recency: age,
          experience,
          temporal,
          similarity: shown,
        } = scoreMemory(scored, { similarity }, { now: NOW, dateHint: NOW }, DEFAULT_SCORING);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(Math.round(score * 1e6) / 1e6).toBe(score);
        expect(score).toBeCloseTo(shown * surface * age * experience * temporal, 5);
        expect(scored.state === 'archived' ? score : 0).toBe(0);
      }),
    );
  });
});

describe('the order of results', () => {
  it('[D] breaks ties by key, whatever order they came in', () => {
    const results = ['b', 'a', 'C', 'd'].map((key) => ({ key, score: key === 'd' ? 0.9 : 0.5 }));
    const keys = (list: typeof results) => list.sort(byScoreThenKey).map(({ key }) => key);
    expect(keys([...results])).toEqual(['d', 'C', 'a', 'b']);
    expect(keys([...results].reverse())).toEqual(['d', 'C', 'a', 'b']);
  });
});
