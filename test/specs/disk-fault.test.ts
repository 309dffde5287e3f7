import { expect, it } from 'vitest';
import { DomainError } from '../../domain/errors.js';
import { diskFault } from '../../services/disk-fault.js';

const fault = (code: string, path?: string): Error => Object.assign(new Error(`${code}: raw`), { code, path });

it.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE'])('%s is the fault of the disk, in words', (code) => {
  expect(diskFault(fault(code), '/d/out.json')).toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(new RegExp(`^/d/out\\.json cannot be written: [a-z].*\\(${code}\\)$`)),
    hint: expect.stringMatching(/\w/),
  });
  expect(diskFault(fault(code, '/d/file'))?.message).toContain('/d/file');
});

it.each([fault('EACCES'), fault('ENOENT'), new DomainError('CONFLICT', 'x'), new TypeError('y'), undefined])('%s is not', (error) =>
  expect(diskFault(error)).toBeUndefined(),
);
