import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createProgress } from '../../services/cli/progress.js';

it('a bar says a time, or that nobody can tell yet, and no half of a word', async () => {
  const stream = Object.assign(new PassThrough(), {
    isTTY: true,
    columns: 120,
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  });
  let shown = '';
  stream.on('data', (bytes: Buffer) => {
    shown += bytes.toString();
  });
  const progress = createProgress(stream as unknown as NodeJS.WriteStream);
  for (let i = 0; i < 6; i++) {
    progress.bar('backing up', 10, 100);
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
  progress.clear();
  const left = [...shown.matchAll(/100 {2}(\S+) left/g)].map(([, time]) => time);
  expect(left).toContain('?');
  for (const time of left) expect(time).toMatch(/^(\?|\d+s)$/);
});
