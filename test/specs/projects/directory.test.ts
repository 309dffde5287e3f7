import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../domain/catalogue.js';
import { type Filed, ProjectDirectory } from '../../../domain/project/directory.js';
import type { State } from '../../../domain/vocabulary.js';

const contextSet: DomainEvent = {
  type: 'ProjectContextSet',
  data: { description: 'd', stack: 's', goals: 'g', current_state: 'c', licence: 'own', provenance: 'asserted' },
};
const declared = (...domains: string[]): DomainEvent => ({ type: 'ProjectDomainsDeclared', data: { domains } });
const merged = (from: string, into: string, undone?: true): DomainEvent => ({
  type: 'ProjectsMerged',
  data: { from, into, ...(undone && { undone }) },
});
const deleted: DomainEvent = { type: 'ProjectDeleted', data: {} };
const filed = (project: string, state: State = 'active'): Filed => ({ project, state });

/** Both projects have the event of a merge, as in the log. */
const merge = (directory: ProjectDirectory, from: string, into: string, undone?: true): void => {
  for (const name of [from, into]) directory.apply(name, merged(from, into, undone));
};
const withMemories = (...projects: string[]): ProjectDirectory => {
  const directory = new ProjectDirectory();
  for (const project of projects) directory.refile(undefined, filed(project));
  return directory;
};

describe('which projects there are', () => {
  it('those that memories name, that have a context, or that declare something', () => {
    const directory = withMemories('shop', 'shop', 'blog');
    directory.apply('garden', contextSet);
    directory.apply('attic', declared());
    expect(directory.names()).toEqual(['attic', 'blog', 'garden', 'shop']);
    expect([directory.hasContext('garden'), directory.hasContext('shop')]).toEqual([true, false]);
    expect([directory.domainsOf('attic'), directory.domainsOf('garden')]).toEqual([[], undefined]);
    expect(directory.memoriesOf('shop')).toEqual({ active: 2, deprioritised: 0, archived: 0 });
  });

  it('a memory without a project, or the context itself, is no memory of one', () => {
    const directory = new ProjectDirectory();
    directory.refile(undefined, { state: 'active' });
    directory.refile(undefined, { project: 'shop', state: 'active', context: {} });
    expect(directory.names()).toEqual([]);
  });

  it('a project of which everything was forgotten and without context is gone, and suggested no more', () => {
    const directory = withMemories('secret-launch');
    expect(directory.near('Secret Launch')).toEqual(['secret-launch']);
    directory.refile(filed('secret-launch'), undefined);
    expect(directory.near('Secret Launch')).toEqual([]);
    expect(directory.isKnown('secret-launch')).toBe(false);

    directory.apply('secret-launch', contextSet);
    expect(directory.near('Secret Launch')).toEqual(['secret-launch']);
    directory.apply('secret-launch', deleted);
    expect(directory.near('Secret Launch')).toEqual([]);
  });
});

describe('names that were merged', () => {
  it('are one project, under the name that stays, over chains', () => {
    const directory = withMemories('a', 'b', 'c');
    merge(directory, 'a', 'b');
    merge(directory, 'b', 'c');
    for (const name of ['a', 'b', 'c']) {
      expect(directory.canonical(name)).toBe('c');
      expect(directory.namesOf(name)).toEqual(['c', 'a', 'b']);
      expect(directory.memoriesOf(name).active).toBe(3);
    }
    expect(directory.chainOf('a')).toEqual(['a', 'b', 'c']);
    expect(directory.names()).toEqual(['c']);
  });

  it('are several again when it is undone', () => {
    const directory = withMemories('a', 'b', 'c');
    merge(directory, 'a', 'b');
    merge(directory, 'b', 'c');
    merge(directory, 'a', 'b', true);
    expect([directory.canonical('a'), directory.canonical('b')]).toEqual(['a', 'c']);
    expect(directory.namesOf('c')).toEqual(['c', 'b']);
  });

  it('an undone merge of another pair changes nothing', () => {
    const directory = withMemories('a', 'b');
    merge(directory, 'a', 'b');
    directory.apply('a', merged('a', 'x', true));
    expect(directory.canonical('a')).toBe('b');
  });

  it('agree on one name even in a circle, which two logs put together may hold', () => {
    const directory = withMemories('x', 'a', 'b', 'c');
    merge(directory, 'b', 'c');
    merge(directory, 'c', 'b');
    merge(directory, 'x', 'c');
    expect(['x', 'b', 'c'].map((name) => directory.canonical(name))).toEqual(['b', 'b', 'b']);
    expect(directory.namesOf('c')).toEqual(['b', 'c', 'x']);
    for (const name of ['b', 'c']) directory.apply(name, declared('python'));
    expect(directory.inDomain('python')).toEqual(['b']);
  });

  it('a suggestion names the project, whichever of its names was like it', () => {
    const directory = withMemories('storefront', 'shop');
    merge(directory, 'storefront', 'shop');
    expect(directory.near('Store-Front')).toEqual(['shop']);
    expect(directory.near('storefront')).toEqual([]);
  });
});

describe('domains lead to projects', () => {
  it('that declare them, by the name that counts', () => {
    const directory = withMemories('a', 'b', 'c');
    directory.apply('a', declared('python', 'css'));
    directory.apply('b', declared('python'));
    expect(directory.inDomain('python')).toEqual(['a', 'b']);
    expect(directory.inDomain('css')).toEqual(['a']);
    expect(directory.inDomain('go')).toEqual([]);
    merge(directory, 'a', 'c');
    expect(directory.inDomain('python')).toEqual(['b']);
    expect([...directory.domains()].sort()).toEqual(['css', 'python']);
  });

  it('never to one that was deleted, nor to one of which all is archived', () => {
    const directory = withMemories('a', 'b');
    for (const name of ['a', 'b', 'empty']) directory.apply(name, declared('python'));
    directory.refile(filed('a'), filed('a', 'archived'));
    directory.apply('b', deleted);
    expect(directory.inDomain('python')).toEqual(['empty']);
    directory.refile(undefined, filed('a', 'deprioritised'));
    expect(directory.inDomain('python')).toEqual(['a', 'empty']);
  });
});

describe('laws of the directory', () => {
  const NAMES = ['a', 'b', 'c', 'd'];
  const name = fc.constantFrom(...NAMES);
  const step = fc.oneof(
    name.map((subject) => ({ subject, event: contextSet })),
    fc.record({ subject: name, event: fc.subarray(['python', 'css']).map((domains) => declared(...domains)) }),
    name.map((subject) => ({ subject, event: deleted })),
    fc
      .tuple(name, name, fc.boolean())
      .chain(([from, into, undone]) =>
        fc.constantFrom(from, into).map((subject) => ({ subject, event: merged(from, into, undone || undefined) })),
      ),
  );
  type Step = { readonly subject: string; readonly event: DomainEvent };
  const read = (steps: readonly Step[]) => {
    const directory = new ProjectDirectory();
    for (const { subject, event } of steps) directory.apply(subject, event);
    return NAMES.map((one) => [directory.canonical(one), directory.namesOf(one), directory.isKnown(one), directory.domainsOf(one)]);
  };

  it('only the order within a project matters', () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const bySubject = NAMES.flatMap((one) => steps.filter(({ subject }) => subject === one));
        expect(read(bySubject)).toEqual(read(steps));
      }),
    ));

  it('deleted means that what was before never was', () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const erased = steps.filter(
          ({ subject }, i) => !steps.some((later, j) => j > i && later.subject === subject && later.event.type === 'ProjectDeleted'),
        );
        expect(read(erased)).toEqual(read(steps));
      }),
    ));

  it('names of one project agree on it, and are each in one project only', () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const directory = new ProjectDirectory();
        for (const { subject, event } of steps) directory.apply(subject, event);
        for (const one of NAMES) {
          const group = directory.namesOf(one);
          expect(group).toContain(one);
          expect(group[0]).toBe(directory.canonical(one));
          for (const other of group) expect(directory.namesOf(other)).toEqual(group);
        }
      }),
    ));

  it('comes back from its records', () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const [before, after] = [new ProjectDirectory(), new ProjectDirectory()];
        for (const { subject, event } of steps) before.apply(subject, event);
        after.restore(JSON.parse(JSON.stringify(before.records())));
        expect(NAMES.map((one) => [after.namesOf(one), after.domainsOf(one)])).toEqual(
          NAMES.map((one) => [before.namesOf(one), before.domainsOf(one)]),
        );
      }),
    ));
});
