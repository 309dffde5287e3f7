import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../services/config.js';

const PLANTED: Record<string, string> = {
  'domain/types.ts': "import type { Config } from '../services/config.js';\nexport type X = Config;",
  'domain/io.ts': "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;",
  'domain/library.ts': "import { pino } from 'pino';\nexport const log = pino;",
  'projections/up.ts': "import { value } from '../services/config.js';\nexport const up = value;",
  'services/config.ts': 'export type Config = 1;\nexport const value = 1;',
  'services/eventlog/append.ts': 'export const append = 1;',
  'services/mcp/tool.ts': "export const late = () => import('../eventlog/append.js');",
  'services/commands/remember.ts': 'export const remember = 1;',
  'services/queries/recall.ts': "export { remember } from '../commands/remember.js';",
  'services/one.ts': "import type { Two } from './two.js';\nexport type One = Two | 1;",
  'services/two.ts': "import type { One } from './one.js';\nexport type Two = One | 2;",
  'services/lost.ts': "export * from './nowhere.js';",
};

const cruise = (dir: string): Promise<string> => {
  const args = [
    join(projectRoot(), 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
    '--config',
    '.dependency-cruiser.cjs',
    'domain',
    'projections',
    'services',
  ];
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd: dir, env: { ...process.env, NO_COLOR: '1' } }, (_error, stdout) => resolve(stdout)),
  );
};

describe('the check of the arrows', () => {
  let dir: string;
  let found: string;
  beforeAll(async () => {
    dir = mkdtempSync('/tmp/oma-');
    for (const [path, text] of Object.entries(PLANTED)) {
      mkdirSync(join(dir, path, '..'), { recursive: true });
      writeFileSync(join(dir, path), text);
    }
    for (const name of ['package.json', '.dependency-cruiser.cjs']) copyFileSync(join(projectRoot(), name), join(dir, name));
    symlinkSync(join(projectRoot(), 'node_modules'), join(dir, 'node_modules'));
    found = await cruise(dir);
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  it.each([
    ['a type that domain takes from services', /domain-is-pure: domain\/types\.ts/],
    ['input and output in domain', /domain-without-io: domain\/io\.ts/],
    ['a library that domain may not use', /domain-uses-few-libraries: domain\/library\.ts/],
    ['a projection that looks up', /projections-see-domain: projections\/up\.ts/],
    ['an edge that reaches past commands and queries, by a late import', /edges-call-commands-and-queries-only: services\/mcp\/tool\.ts/],
    ['a query that reaches into commands', /a-query-never-appends: services\/queries\/recall\.ts/],
    ['a circle of types', /no-cycles: services\/(one|two)\.ts/],
    ['an import that leads nowhere', /resolvable: services\/lost\.ts/],
  ])('finds %s', (_, expected) => expect(found).toMatch(expected));
  it('finds nothing else', () => expect(found).toMatch(/8 dependency violations/));
});
