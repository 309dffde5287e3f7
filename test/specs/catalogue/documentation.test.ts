import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { catalogue } from '../../../domain/catalogue.js';

it('the table in docs/events.md names every event with its version, and no other', () => {
  const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z]\w+)` +\| (\d+) +\|/gm)].map(([, type, v]) => `${type}@${v}`);
  expect(rows.sort().join(',')).toBe(catalogue.fingerprint);
});
