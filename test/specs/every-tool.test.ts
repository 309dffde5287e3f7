import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TOOLS } from '../../services/mcp/tools/index.js';

it('every tool is called through a client of the protocol by some end-to-end test', () => {
  const folder = new URL('../e2e/app/', import.meta.url);
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const called = (name: string): boolean => sources.some((source) => new RegExp(`(call|refused|outcome)\\(\\s*'${name}'`).test(source));
  expect(TOOLS.map(({ name }) => name).filter((name) => !called(name))).toEqual([]);
});
