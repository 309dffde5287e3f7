import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
const run = promisify(execFile);
/**
 * What tells this run of a process id from a later process that got the same number: its start time. Undefined when no
 * such process runs; a zombie does not run.
 */
export const identityOf = async (pid) => process.platform === 'linux' ? identityFromProc(pid) : identityFromPs(pid);
/** Field 3 of /proc/<pid>/stat is the state, field 22 the start in clock ticks since boot; the name before may hold blanks. */
const identityFromProc = async (pid) => {
    try {
        const [stat, boot] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile('/proc/sys/kernel/random/boot_id', 'utf8')]);
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${boot.trim()}/${fields[19] ?? ''}`;
    }
    catch {
        return undefined;
    }
};
const identityFromPs = async (pid) => {
    try {
        const { stdout } = await run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
        const [state = '', ...started] = stdout.trim().split(/\s+/);
        return state.startsWith('Z') ? undefined : started.join(' ');
    }
    catch {
        return undefined;
    }
};
export const isAlive = async ({ pid, identity }) => (await identityOf(pid)) === identity;
/** The record of this process. */
export const recordOfThis = async () => ({ pid: process.pid, identity: (await identityOf(process.pid)) ?? '' });
//# sourceMappingURL=process-identity.js.map