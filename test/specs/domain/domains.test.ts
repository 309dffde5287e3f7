import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DOMAINS, parseDeclaredDomains, parseDomains, resolveDomain } from '../../../domain/domains.js';

describe('a domain', () => {
  it.each([
    ['  Python ', 'python'],
    ['WCAG  Accessibility', 'wcag-accessibility'],
    ['next.js', 'next.js'],
    ['py', 'python'],
    ['Python3', 'python'],
    ['js', 'javascript'],
    ['TS', 'typescript'],
    ['golang', 'go'],
    ['rs', 'rust'],
    ['k8s', 'kubernetes'],
    ['Postgres', 'postgresql'],
    ['a'.repeat(64), 'a'.repeat(64)],
  ])('%j is %j', (text, domain) => expect(resolveDomain(text)).toBe(domain));

  it.each(['', ' ', '..', '-x', 'c#', 'größe', 'a'.repeat(65), 'a,b', 'a/b'])('%j is none', (text) =>
    expect(resolveDomain(text)).toBeUndefined(),
  );
});

describe('domains in a text or a list', () => {
  it.each([
    ['python,docker', ['python', 'docker']],
    ['python / docker | css + html & sql; go\nrust', ['python', 'docker', 'css', 'html', 'sql', 'go', 'rust']],
    ['python and docker AND css', ['python', 'docker', 'css']],
    ['android', ['android']],
    ['["python", "docker"]', ['python', 'docker']],
    [
      ['python', 'docker,css'],
      ['python', 'docker', 'css'],
    ],
    [['Web Accessibility'], ['web-accessibility']],
    ['', []],
    ['[]', []],
  ])('%j', (given, domains) => expect(parseDomains(given).domains).toEqual(domains));

  it('says what was taken for another name, and what is no domain', () => {
    expect(parseDomains('py, c#, PYTHON, k8s')).toEqual({
      domains: ['python', 'kubernetes'],
      aliased: { py: 'python', k8s: 'kubernetes' },
      rejected: ['c#'],
    });
    expect(parseDomains('[python').rejected).toEqual(['[python']);
  });

  it('keeps the order first named, each once, whatever the order of the rest', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9]{4,8}$/).filter((text) => resolveDomain(text) === text);
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 8 }), (list) => {
        expect(parseDomains([...list, ...list].join(', ')).domains).toEqual(list);
      }),
    );
  });

  it('a project declares at most twenty', () => {
    const list = Array.from({ length: MAX_DOMAINS }, (_, i) => `domain-${i}`);
    expect(parseDeclaredDomains(list).domains).toHaveLength(MAX_DOMAINS);
    expect(() => parseDeclaredDomains([...list, 'one-more'])).toThrow(expect.objectContaining({ code: 'VALIDATION' }));
  });
});
