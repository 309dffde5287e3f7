import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runInContext } from '../../../services/cli/context.js';
import { sayInterrupted } from '../../../services/cli/interrupted.js';
import { createProgram } from '../../../services/cli/program.js';

const dataDir = mkdtempSync(join(tmpdir(), 'omt-interrupted-'));
const SILENT = ['at', 'backups', 'briefing', 'doctor', 'health', 'log', 'mcp', 'project-name', 'recall', 'start', 'timeline'];
const { argv } = process;
afterEach(() => {
  process.argv = argv;
  vi.restoreAllMocks();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('Ctrl-C in a long command', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('%s: the step is finished, and one line says what is done and what goes on', async (signal) => {
    process.argv = ['node', 'omnimem', 'restore', '/mnt/my disk', '--into', 'k2'];
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    let finished = false;
    const code = await runInContext('restore', { dataDir }, async (context) => {
      context.progress.bar('restoring', 3, 10);
      process.emit(signal);
      if (!context.signal.aborted) await once(context.signal, 'abort');
      finished = true;
      context.signal.throwIfAborted();
      return 0;
    });
    expect([code, finished]).toEqual([130, true]);
    const lines = said.mock.calls.map(([text]) => String(text)).filter((text) => text.startsWith('Interrupted'));
    expect(lines).toEqual([
      expect.stringMatching(/^Interrupted while restoring \(3 of 10\)\. .* To go on: omnimem restore '\/mnt\/my disk' --into k2\n$/),
    ]);
  });

  it.each(['restore', 'merge', 'backup', 'backup purge', 'purge', 'replay', 'verify', 'forget', 'migrate', 'export', 'import'])(
    'omnimem %s has something to say unless there is no such command',
    (name) => expect(sayInterrupted(name, name.split(' '), undefined, false) === undefined).toBe(name === 'purge'),
  );

  it('every command says something, unless it only looks or runs until it is stopped', () => {
    const leaves = (command: Command, path = ''): readonly string[] => {
      const inner = command.commands.flatMap((one) => leaves(one, `${path} ${one.name()}`.trim()));
      return inner.length === 0 || path === 'backup' ? [path, ...inner] : inner;
    };
    const silent = leaves(createProgram()).filter((name) => sayInterrupted(name, [name], undefined, false) === undefined);
    expect(silent.sort()).toEqual(SILENT);
  });

  it('an undo and a text to remember say what may be there, and how to go on', () => {
    expect(sayInterrupted('undo', ['undo', '01J9ZC4Q0000000000000000AB'], undefined, false)).toMatch(
      /^Interrupted\. What was put back stays.* To go on: omnimem undo 01J9ZC4Q0000000000000000AB$/,
    );
    expect(sayInterrupted('remember', ['remember', 'x'], undefined, false)).toMatch(/nothing is stored twice/);
    expect(sayInterrupted('remember', ['remember', 'x', '--force'], undefined, false)).toMatch(/stored again/);
  });

  it('is one JSON object with --json, and nothing for a short command', () => {
    const line = sayInterrupted('verify', ['verify', '--json'], { what: 'verifying memories', done: 1, total: 9 }, true);
    expect(JSON.parse(line ?? '')).toEqual({
      interrupted: { what: 'verifying memories', done: 1, total: 9, stays: 'Nothing was changed', next: 'omnimem verify --json' },
    });
    expect(sayInterrupted('recall', ['recall', 'x'], undefined, false)).toBeUndefined();
  });
});
