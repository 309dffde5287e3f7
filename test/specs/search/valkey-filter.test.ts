import { describe, expect, it } from 'vitest';
import type { Filter } from '../../../projections/search/ports.js';
import { compileFilter, facetFields, passing, storedFacets, tagOf } from '../../../projections/search/valkey/filter.js';
import { facets } from './samples.js';

const expression = (filter: Filter) => {
  const compiled = compileFilter(filter);
  return compiled === 'nothing' ? compiled : compiled.expression;
};

/** The fields of a hash, as a search returns them. */
const stored = (...changes: Parameters<typeof facets>) => {
  const fields = facetFields(facets(...changes));
  return storedFacets((name) => fields[fields.indexOf(name) + 1] ?? '');
};

describe('a filter for the server', () => {
  it.each<[Filter, string]>([
    [{}, '*'],
    [{ states: ['active'] }, '@state:{active}'],
    [{ states: ['active', 'deprioritised'] }, '(@state:{active} | @state:{deprioritised})'],
    [{ projects: ['a', 'a'] }, '@project:{a}'],
    [{ states: ['active'], namespaces: ['episodic'] }, '@state:{active} @namespace:{episodic}'],
    [{ licences: ['own', 'open'], projects: ['x'] }, '(@licence:{own} | @licence:{open}) @project:{x}'],
    [{ createdFrom: 1_700_000_000_000 }, '@created_at:[1700000000000 +inf]'],
    [{ createdTo: -5.5 }, '@created_at:[-inf -5.5]'],
    [{ createdFrom: 1, createdTo: 1 }, '@created_at:[1 1]'],
  ])('%j', (filter, wanted) => {
    expect(expression(filter)).toBe(wanted);
  });

  it.each<Filter>([{ states: [] }, { projects: [] }, { createdFrom: 2, createdTo: 1 }, { createdFrom: Number.NaN }])(
    'matches nothing without asking: %j',
    (filter) => expect(compileFilter(filter)).toBe('nothing'),
  );

  it.each(['a,b', 'x*', '*', '{a|b}*@x:{y}', ' padded ', 'ünï', 'with space', 'back\\slash', 'line\nbreak', 'p#0', 'x'.repeat(65)])(
    'asks for the project %j by a digest that is plain everywhere',
    (project) => {
      expect(tagOf(project)).toMatch(/^p#[0-9a-f]{32}$/);
      expect(expression({ projects: [project] })).toBe(`@project:{${tagOf(project)}}`);
      expect(passing({ projects: [project] })(stored({ project }))).toBe(true);
    },
  );

  it('keeps names apart that differ in case only', () => expect(tagOf('Atlas')).not.toBe(tagOf('atlas')));

  it('leaves more projects than the server takes to an after-filter', () => {
    const projects = Array.from({ length: 101 }, (_, i) => `p${i}`);
    expect(compileFilter({ states: ['active'], projects })).toEqual({ expression: '@state:{active}', after: { projects } });
    expect(compileFilter({ projects: projects.slice(1) })).toMatchObject({ after: undefined });
  });

  it('leaves numbers with an exponent to an after-filter', () => {
    expect(compileFilter({ createdFrom: 1e21 })).toEqual({
      expression: '*',
      after: { createdFrom: 1e21, createdTo: Number.POSITIVE_INFINITY },
    });
    expect(compileFilter({ createdTo: 1e-7 })).toMatchObject({ expression: '*', after: { createdTo: 1e-7 } });
  });

  it('applied afterwards means the same', () => {
    const filter: Filter = {
      states: ['active'],
      namespaces: ['episodic'],
      projects: ['atlas', 'a,b'],
      licences: ['own'],
      createdFrom: 1,
      createdTo: 1_000,
    };
    const passes = passing(filter);
    expect(passes(stored())).toBe(true);
    expect(passes(stored({ project: 'a,b' }))).toBe(true);
    expect(passes(stored({ project: 'a' }))).toBe(false);
    expect(passes(stored({ project: undefined }))).toBe(false);
    expect(passes(stored({ state: 'archived' }))).toBe(false);
    expect(passes(stored({ namespace: 'project' }))).toBe(false);
    expect(passes(stored({ licence: 'unknown' }))).toBe(false);
    expect(passes(stored({ createdAt: 1_001 }))).toBe(false);
    expect(passes(stored({ createdAt: 0 }))).toBe(false);
  });
});
