import { describe, expect, it } from 'vitest';
import { isDomainError } from '../../../domain/errors.js';
import { decideMerge } from '../../../domain/project/merging.js';
import { type Project, type ProjectHistoryEvent, projectDecider } from '../../../domain/project/project.js';

const merged = (from: string, into: string): ProjectHistoryEvent => ({ type: 'ProjectsMerged', data: { from, into } });
const declared = (...domains: string[]): ProjectHistoryEvent => ({ type: 'ProjectDomainsDeclared', data: { domains } });
const project = (...events: readonly ProjectHistoryEvent[]): Project => events.reduce(projectDecider.evolve, projectDecider.initialState());

const given = (from: Project, into: Project = project(), chain: readonly string[] = ['shop']) => ({
  merge: () => decideMerge({ from: 'Shop', into: 'shop' }, { from, into }, chain),
  refused: () => {
    try {
      decideMerge({ from: 'Shop', into: 'shop' }, { from, into }, chain);
    } catch (error) {
      if (isDomainError(error)) return { code: error.code, hinted: Boolean(error.hint) };
      throw error;
    }
    throw new Error('was not refused');
  },
});

describe('merging two projects', () => {
  it('happens to both', () => {
    const event = merged('Shop', 'shop');
    expect(given(project()).merge()).toEqual({ onFrom: [event], onInto: [event] });
  });

  it('hands the domains on, behind those that are declared', () => {
    expect(given(project(declared('css', 'python')), project(declared('python'))).merge().onInto).toEqual([
      merged('Shop', 'shop'),
      declared('python', 'css'),
    ]);
    expect(given(project(declared('css'))).merge().onInto).toContainEqual(declared('css'));
    expect(given(project(), project(declared('css'))).merge().onInto).toEqual([merged('Shop', 'shop')]);
    expect(given(project(declared('css')), project(declared('css'))).merge().onInto).toEqual([merged('Shop', 'shop')]);
  });

  it('changes nothing when they are one already', () => {
    expect(given(project(merged('Shop', 'shop'))).merge()).toEqual({ onFrom: [], onInto: [] });
    expect(given(project(merged('Shop', 'store')), project(merged('shop', 'store')), ['shop', 'store']).merge()).toEqual({
      onFrom: [],
      onInto: [],
    });
  });

  it('may happen again when it was undone', () => {
    const undone: ProjectHistoryEvent = { type: 'ProjectsMerged', data: { from: 'Shop', into: 'shop', undone: true } };
    expect(given(project(merged('Shop', 'shop'), undone)).merge().onFrom).toEqual([merged('Shop', 'shop')]);
  });

  it('is refused for a circle, for a project that counts as a third, and for one name', () => {
    expect(given(project(), project(merged('shop', 'Shop')), ['shop', 'Shop']).refused()).toEqual({ code: 'CONFLICT', hinted: true });
    expect(given(project(), project(merged('shop', 'x')), ['shop', 'x', 'Shop']).refused()).toEqual({ code: 'CONFLICT', hinted: true });
    expect(given(project(merged('Shop', 'third'))).refused()).toEqual({ code: 'CONFLICT', hinted: true });
    expect(() => decideMerge({ from: 'a', into: 'a' }, { from: project(), into: project() }, ['a'])).toThrow(
      expect.objectContaining({ code: 'VALIDATION' }),
    );
  });
});
