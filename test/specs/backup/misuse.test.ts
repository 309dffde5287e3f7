import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DomainError } from '../../../domain/errors.js';
import { folderFault } from '../../../services/backup/folder-fault.js';
import { pauseAfter } from '../../../services/backup/job.js';
import { isSetName } from '../../../services/backup/layout.js';
import { parseUntil } from '../../../services/backup/until.js';
import { placeOf } from '../../../services/cli/folder.js';
import { createProgram } from '../../../services/cli/program.js';
import { loadConfig } from '../../../services/config.js';
import { makeFolder } from '../../../services/make-folder.js';
import { endOrphan } from '../../../services/valkey/child.js';

const folder = mkdtempSync(join(tmpdir(), 'omt-misuse-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a name of a backup', () => {
  it.each(['mine', 'omnimem-20261130T114502Z', 'before-2.0', 'console', 'forgotten-things', '2026', 'com10'])('%s', (name) =>
    expect(isSetName(name)).toBe(true),
  );
  it.each([
    ...[
      'FORGOTTEN',
      'forgotten',
      'manifest.json',
      'key.age',
      '000001.envelopes',
      '000001.payloads.age',
      'side-X.json',
      'vectors-X.bin',
      'a.tmp',
    ],
    ...['.lock', '.hidden', '..', '@shop', 'a/b', '', 'con', 'NUL', 'aux.txt', 'COM1', 'lpt9.x', 'mine.', 'x'.repeat(201)],
  ])('not %j', (name) => expect(isSetName(name)).toBe(false));
});

describe('a folder of backups', () => {
  it('is made with those above it, for this user only', async () => {
    const path = join(folder, 'a', 'b');
    await makeFolder(path);
    await makeFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });
  it('many at once make it', () =>
    expect(Promise.all(Array.from({ length: 8 }, () => makeFolder(join(folder, 'x', 'y', 'z'))))).resolves.toBeDefined());
  it.runIf(existsSync('/proc/self'))('where none can be made, is an error at once', async () => {
    for (const path of ['/proc/x', '/proc/x/y']) {
      await expect(makeFolder(path)).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(endOrphan(path)).rejects.toMatchObject({ code: 'ENOENT' });
    }
  });
  it('is made by nobody with the recursive way of the runtime, which may never end', () => {
    const sources = readdirSync('services', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((name) => /mkdir(Sync)?\([^;]*recursive/.test(readFileSync(join('services', name), 'utf8')))).toEqual([]);
  });
  it('where a file stands, is an error', async () => {
    writeFileSync(join(folder, 'file'), '');
    for (const path of ['file', 'file/below']) await expect(makeFolder(join(folder, path))).rejects.toMatchObject({ code: 'EEXIST' });
  });
});

describe('what the file system refuses', () => {
  const fault = (code: string, path?: string): Error =>
    Object.assign(new Error(`${code}: raw`), { code, path, errno: -1, syscall: 'open' });
  it.each(['ENOSPC', 'EROFS', 'EEXIST', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES', 'ENOENT', 'EISDIR'])(
    '%s names the folder, says it in words and what to do',
    (code) => {
      const told = folderFault('/b', fault(code, '/b/s/f'));
      expect(told).toBeInstanceOf(DomainError);
      expect(told).toMatchObject({ code: 'UNAVAILABLE', hint: expect.stringMatching(/\w/) });
      expect((told as Error).message).toMatch(new RegExp(`/b cannot be used: [a-z].*\\(${code}, at /b/s/f\\)`));
      expect((told as Error).message).not.toContain('raw');
    },
  );
  it('anything else stays as it is', () => {
    const [refused, other] = [new DomainError('CONFLICT', 'x'), new TypeError('y')];
    expect([folderFault('/b', refused), folderFault('/b', other)]).toEqual([refused, other]);
    const down = Object.assign(fault('ENOENT'), { syscall: 'connect' });
    expect(folderFault('/b', down)).toBe(down);
  });
});

it('the pauses between tries grow, and end', () =>
  expect([1, 2, 3, 40].map((failures) => pauseAfter(failures, 1_000, 300_000))).toEqual([1_000, 2_000, 4_000, 300_000]));

describe('a moment to restore', () => {
  const now = Date.parse('2026-11-30T12:00:00Z');
  it.each(['2026-12-01', '2027-01-01T00:00Z', `${now + 1}-0`])('%s has not passed', (text) =>
    expect(() => parseUntil(text, now)).toThrowError(/not passed/),
  );
  it('now has', () => expect(parseUntil('2026-11-30T12:00:00Z', now)).toEqual({ kind: 'time', at: now }));
});

it.each(['', '  '])('a folder named %j is none', (text) => expect(() => placeOf(text, '--to')).toThrowError(/--to names nothing/));

describe('a passphrase of blanks', () => {
  it('is refused, wherever it stands', () => {
    expect(() => loadConfig({ BACKUP_PASSPHRASE: '          ' }, folder)).toThrowError(/BACKUP_PASSPHRASE/);
    writeFileSync(join(folder, '.env'), 'BACKUP_PASSPHRASE="          "\n');
    expect(() => loadConfig({}, folder)).toThrowError(/BACKUP_PASSPHRASE/);
    expect(loadConfig({ BACKUP_PASSPHRASE: 'correct horse' }, folder).config.backup.passphrase).toBe('correct horse');
    rmSync(join(folder, '.env'));
  });
  it('an empty one is unset', () => expect(loadConfig({ BACKUP_PASSPHRASE: '' }, folder).config.backup.passphrase).toBeUndefined());
});

it('the help of purge lists none of the options of backup', () => {
  const backup = createProgram().commands.find((command) => command.name() === 'backup');
  const help = backup?.commands.find((command) => command.name() === 'purge')?.helpInformation() ?? '';
  expect(help).toContain('--in <folder>');
  expect(help).toContain('--data-dir');
  expect(help).not.toMatch(/--to|--name|--full|--digests/);
});
