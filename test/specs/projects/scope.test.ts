import { describe, expect, it } from 'vitest';
import { ProjectDirectory } from '../../../domain/project/directory.js';
import { filedUnder, scopeOf, shortRouting } from '../../../domain/project/scope.js';

const directory = new ProjectDirectory();
for (const project of ['shop', 'store', 'blog', 'billing']) directory.refile(undefined, { project, state: 'active' });
for (const name of ['store', 'shop']) directory.apply(name, { type: 'ProjectsMerged', data: { from: 'store', into: 'shop' } });
directory.apply('shop', { type: 'ProjectDomainsDeclared', data: { domains: ['python', 'css'] } });
directory.apply('blog', { type: 'ProjectDomainsDeclared', data: { domains: ['css'] } });

describe('what a read looks at', () => {
  it('everything, without filters', () => expect(scopeOf(directory, {})).toEqual({ names: undefined }));

  it('all names of a project that was merged, whichever is named', () => {
    expect(scopeOf(directory, { projects: ['store'] })).toEqual({ names: ['shop', 'store'] });
    expect(scopeOf(directory, { projects: ['shop', 'blog', 'store'] })).toEqual({ names: ['shop', 'store', 'blog'] });
    expect(scopeOf(directory, { projects: [] })).toEqual({ names: [] });
  });

  it('an unknown name is looked up as it is, and what is like it is said', () => {
    expect(scopeOf(directory, { projects: ['biling'] })).toEqual({
      names: ['biling'],
      suggestion: { did_you_mean: ['billing'], note: expect.stringContaining('"biling"; there is "billing"') },
    });
    expect(scopeOf(directory, { projects: ['nothing-like-it'] })).toEqual({ names: ['nothing-like-it'] });
  });

  it('the projects that declare one of the domains', () => {
    expect(scopeOf(directory, { domains: ['css'] })).toEqual({
      names: ['blog', 'shop', 'store'],
      routing: { matched: { css: ['blog', 'shop'] }, unmatched: [] },
    });
    expect(scopeOf(directory, { domains: 'py' })).toEqual({
      names: ['shop', 'store'],
      routing: { matched: { python: ['shop'] }, unmatched: [], aliased: { py: 'python' } },
    });
  });

  it('says which domains led nowhere, and goes by the others', () => {
    expect(scopeOf(directory, { domains: ['python', 'cobol', 'c#'] })).toEqual({
      names: ['shop', 'store'],
      routing: { matched: { python: ['shop'] }, unmatched: ['cobol', 'c#'] },
      domainNotice: 'No project declares cobol, c#; only python narrowed this search.',
    });
  });

  it('when none led anywhere, leaves the domains aside and says so', () => {
    expect(scopeOf(directory, { domains: ['cobol'] })).toMatchObject({
      names: undefined,
      domainNotice: expect.stringMatching(/^No project declares cobol, so .* all projects searched/),
    });
    expect(scopeOf(directory, { domains: ['cobol'], projects: ['blog'] })).toMatchObject({
      names: ['blog'],
      domainNotice: expect.stringContaining('all of project_filter'),
    });
    expect(scopeOf(directory, { domains: [] })).toMatchObject({
      names: undefined,
      domainNotice: expect.stringContaining('names no domain'),
    });
  });

  it('with both filters what is in both, and nothing at all when nothing is', () => {
    expect(scopeOf(directory, { domains: ['css'], projects: ['store', 'billing'] })).toMatchObject({ names: ['shop', 'store'] });
    expect(scopeOf(directory, { domains: ['python'], projects: ['blog'] })).toMatchObject({
      names: [],
      domainNotice: 'No project of project_filter declares python, so nothing was searched.',
    });
    expect(scopeOf(directory, { domains: ['python', 'cobol'], projects: ['blog'] })).toMatchObject({
      names: [],
      domainNotice: expect.stringContaining('No project at all declares cobol'),
    });
  });

  it('long lists of projects are counted', () => {
    const projects = Array.from({ length: 25 }, (_, i) => `p${i}`);
    const short = shortRouting({ matched: { python: projects, css: ['a'] }, unmatched: [] });
    expect(short.matched.python).toHaveLength(20);
    expect(short.more).toEqual({ python: 5 });
  });
});

describe('where something is filed', () => {
  it('under what its name counts as', () => expect(filedUnder(directory, 'store')).toEqual({ project: 'shop' }));
  it('under a known name without a word', () => expect(filedUnder(directory, 'blog')).toEqual({ project: 'blog' }));
  it('under a new name as it is given, and says what that is like', () =>
    expect(filedUnder(directory, 'Blog')).toEqual({
      project: 'Blog',
      suggestion: { did_you_mean: ['blog'], note: expect.stringContaining('merge_projects with from "Blog" and into "blog"') },
    }));
  it('under a new name that is like no other without a word', () => expect(filedUnder(directory, 'garden')).toEqual({ project: 'garden' }));
});
