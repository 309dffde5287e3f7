import { describe, expect, it } from 'vitest';
import { diagnose } from '../../services/valkey/diagnosis.js';
import { fromValkey, isOutcomeUnknown } from '../../services/valkey/errors.js';

describe('the end of a server', () => {
  it.each([
    ['disk', '# Error writing to the AOF file: No space left on device', 1],
    ['disk', "# Can't recover from AOF write error when the AOF fsync policy is 'always'. Exiting...", 1],
    ['newer', "# Can't handle RDB format version 99", 1],
    ['module', "# Unknown command 'FT.CREATE' reading the append only file appendonly.aof.1.incr.aof", 1],
    ['corrupt', '# Bad file format reading the append only file x: make a backup', 1],
    ['permission', "# Can't open or create append-only dir appendonlydir: Permission denied", 1],
    ['missing', 'sh: 1: exec: valkey-server: not found', 127],
    ['other', '# Something else', 1],
  ])('is %s for %j', (kind, line, code) => expect(diagnose(['* Server initialized', line], code, null).kind).toBe(kind));
  it('by a signal is named', () => expect(diagnose([], null, 'SIGKILL').reason).toContain('SIGKILL'));
  it('on a file that a later major version began is no damage', () =>
    expect(diagnose(['# Bad file format reading the append only file x'], 1, null, 'VALKEY080').kind).toBe('newer'));
});

describe('an error of the server or the connection', () => {
  it.each([
    ["OOM command not allowed when used memory > 'maxmemory'.", false],
    ['MISCONF Errors writing to the AOF file: No space left on device', false],
    ['NOREPLICAS Not enough good replicas to write.', false],
    ['LOADING Valkey is loading the dataset in memory', false],
    ["READONLY You can't write against a read only replica.", false],
    ['NOAUTH Authentication required.', false],
    ['Command timed out', true],
    ['Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.', true],
    ['Connection is closed.', true],
  ])('%j becomes UNAVAILABLE with a hint (outcome unknown: %s)', (message, unknown) => {
    const raw = new Error(message);
    const mapped = fromValkey(raw);
    expect(mapped).toMatchObject({ code: 'UNAVAILABLE', hint: expect.stringMatching(/\.$/), cause: raw });
    expect([isOutcomeUnknown(raw), isOutcomeUnknown(mapped)]).toEqual([unknown, unknown]);
  });
  it('for want of a replica is not told as a full disk alone', () =>
    expect(fromValkey(new Error('NOREPLICAS Not enough good replicas to write.'))).toMatchObject({
      message: expect.stringContaining('no replica that must have them is in touch'),
      hint: expect.stringContaining('min-replicas-to-write'),
    }));
  it.each(['ERR unknown command', 'WRONGTYPE Operation against a key', 'VERSION 3'])('%j is left alone', (message) => {
    const raw = new Error(message);
    expect(fromValkey(raw)).toBe(raw);
  });
  it('of the file system is left alone', () => {
    const raw = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', syscall: 'open' });
    expect(fromValkey(raw)).toBe(raw);
  });
});
