import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DomainError } from '../../../domain/errors.js';
import { inspectMachine, valkeyVersion } from './machine.js';
import { planInstall } from './plan.js';
/**
 * Finds a valkey-server, installing one where that can be done without asking. `progress` hears what is done and each line
 * of the package manager. UNAVAILABLE, whose hint is one page of instructions, when no way leads there.
 */
export const obtainValkey = async (dataDir, progress) => {
    const version = await valkeyVersion();
    return version === undefined ? carryOut(planInstall(await inspectMachine()), dataDir, progress) : onPath(version);
};
const onPath = (version) => ({ command: ['valkey-server'], description: `valkey-server ${version}` });
/** Follows a plan, and the other one when it fails. */
const carryOut = async (plan, dataDir, progress) => {
    if (plan.kind === 'present')
        return onPath(plan.version);
    if (plan.kind === 'page')
        throw new DomainError('UNAVAILABLE', 'There is no Valkey on this machine and it cannot be installed from here', plan.page);
    if (plan.kind === 'container') {
        progress(`Running Valkey in a container (${plan.image})`);
        return { command: containerCommand(plan.engine, plan.image, dataDir), description: `${plan.image} in ${plan.engine}` };
    }
    progress(plan.says);
    for (const command of plan.commands) {
        if (!(await runCommand(command, progress))) {
            progress(`${command.argv.join(' ')} failed`);
            break;
        }
    }
    const version = await valkeyVersion();
    return version === undefined ? carryOut(plan.otherwise, dataDir, progress) : onPath(version);
};
/** Everything a package manager prints is passed on a line at a time; nothing of it reaches standard output. */
const runCommand = async ({ argv, input }, progress) => {
    const [name = '', ...args] = argv;
    const child = spawn(name, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on('line', progress);
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    try {
        const [code] = await once(child, 'close');
        return code === 0;
    }
    catch {
        return false;
    }
};
/**
 * A server in a container that is managed like a child: same user, same paths, so that the socket in the data folder serves
 * both sides. Its name belongs to the folder: one that a killed parent left is removed first.
 */
export const containerCommand = (engine, image, dataDir) => {
    const dir = resolve(dataDir);
    const name = `omnimem-valkey-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`;
    const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
    const script = 'engine=$1; name=$2; shift 2; "$engine" rm -f "$name" >/dev/null 2>&1; exec "$engine" run --name "$name" "$@"';
    return [
        'sh',
        '-c',
        script,
        'container',
        engine,
        name,
        '--rm',
        '--network',
        'none',
        '--user',
        user,
        '-v',
        `${dir}:${dir}`,
        image,
        'valkey-server',
    ];
};
//# sourceMappingURL=install.js.map