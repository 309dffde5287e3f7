import { describe, expect, it } from 'vitest';
import {
  countedTags,
  declareDomains,
  domainsOfStack,
  domainsOfTags,
  mergedDomains,
  seedDomains,
  suggestDomains,
} from '../../../domain/project/domains.js';

const ofStack = (stack: string, ...known: string[]): readonly string[] => [...domainsOfStack(stack, new Set(known)).keys()];

describe('the kinds of work that a stack names', () => {
  it.each([
    ['Python 3.12, FastAPI + Valkey 8.0', ['python', 'fastapi', 'valkey']],
    ['TypeScript and Node 20+; React', ['typescript', 'node', 'react']],
    ['py, ts & postgres', ['python', 'typescript', 'postgresql']],
    ['Python with FastAPI via Docker', ['python', 'fastapi', 'docker']],
    ['a custom CLI app', []],
    ['Rust-based services on Kubernetes (k8s), etc.', ['rust-services', 'kubernetes']],
    ['various other custom apps', []],
    ['Docker Compose', ['docker-compose']],
    ['', []],
  ])('%s', (stack, domains) => expect(ofStack(stack)).toEqual(domains));

  it('takes the words that are known as domains out of a phrase', () => {
    expect(ofStack('Rust services', 'rust')).toEqual(['rust']);
    expect(ofStack('Docker Compose', 'docker')).toEqual(['docker']);
    expect(ofStack('Docker Compose', 'docker', 'docker-compose')).toEqual(['docker-compose']);
  });

  it('leaves sentences alone', () => expect(ofStack('everything runs inside one big container')).toEqual([]));

  it('says which words each was read from', () => {
    expect(domainsOfStack('py 3.12 / Web Accessibility')).toEqual(
      new Map([
        ['python', 'py'],
        ['web-accessibility', 'Web Accessibility'],
      ]),
    );
  });

  it('is what an imported context is given', () => {
    expect(seedDomains('Python, Docker')).toEqual(['python', 'docker']);
    expect(seedDomains('a custom app')).toEqual([]);
    expect(seedDomains(Array.from({ length: 30 }, (_, i) => `lang${i}x`).join())).toHaveLength(20);
  });
});

describe('tags as kinds of work', () => {
  const counts = countedTags([
    ['py', 'docker', 'decision'],
    ['python', 'Python', 'bug-fix', 'decision'],
    ['docker', 'css', 'shop'],
    ['shop', 'docker', 'bug-fix'],
  ]);

  it('count a memory once for each, however it is spelt', () => {
    expect(counts.get('python')).toBe(2);
    expect(counts.get('docker')).toBe(3);
    expect(counts.get('css')).toBe(1);
  });

  it('recur on two memories or more, and are neither the project nor what kind of note it is', () => {
    expect([...domainsOfTags(counts, new Set(['shop']))]).toEqual([
      ['docker', 3],
      ['python', 2],
    ]);
  });
});

describe('suggestions', () => {
  it('come from the stack first, leave out what is declared, and say why', () => {
    const tags = new Map([
      ['docker', 3],
      ['python', 2],
    ]);
    expect(suggestDomains(['css'], domainsOfStack('Python, CSS'), tags)).toEqual([
      { domain: 'python', evidence: { stack: 'Python', tagged: 2 } },
      { domain: 'docker', evidence: { tagged: 3 } },
    ]);
  });

  it('are ten at most, and merge behind what is declared, to twenty at most', () => {
    const many = new Map(Array.from({ length: 15 }, (_, i) => [`lang${i}`, `lang${i}`]));
    expect(suggestDomains([], many, new Map())).toHaveLength(10);
    expect(mergedDomains(['b', 'a'], ['a', 'c'])).toEqual(['b', 'a', 'c']);
    expect(
      mergedDomains(
        [...many.keys()],
        Array.from({ length: 15 }, (_, i) => `x${i}`),
      ),
    ).toHaveLength(20);
  });

  it('an empty declaration differs from none', () => {
    expect(declareDomains(undefined, [])).toEqual([{ type: 'ProjectDomainsDeclared', data: { domains: [] } }]);
    expect(declareDomains([], [])).toEqual([]);
    expect(declareDomains(['a'], ['a'])).toEqual([]);
    expect(declareDomains(['a'], ['a', 'b'])).toEqual([{ type: 'ProjectDomainsDeclared', data: { domains: ['a', 'b'] } }]);
  });
});
