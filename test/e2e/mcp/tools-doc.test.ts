import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { renderToolsDoc } from '../../../services/mcp/tools-doc.js';

const FILE = new URL('../../../docs/tools.md', import.meta.url);

it('docs/tools.md says what the schemas say (UPDATE_DOCS=1 writes it)', async () => {
  const text = renderToolsDoc();
  if (process.env.UPDATE_DOCS) await writeFile(FILE, text);
  expect(await readFile(FILE, 'utf8')).toBe(text);
});
