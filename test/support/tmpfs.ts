import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';

/** A file system of its own in memory, so small that a test can fill it; undefined where this user may not mount. */
export const smallDisk = (megabytes: number): { readonly dir: string; readonly remove: () => void } | undefined => {
  const dir = mkdtempSync('/tmp/omd-');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir], { stdio: 'ignore' });
  } catch {
    rmSync(dir, { recursive: true });
    return undefined;
  }
  return {
    dir,
    remove: () => {
      execFileSync('umount', ['-l', dir]);
      rmSync(dir, { recursive: true });
    },
  };
};
