import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
const run = promisify(execFile);
/** Looks around, changing nothing. Takes tens of milliseconds, or a few seconds where a container engine is slow to refuse. */
export const inspectMachine = async () => {
    const isRoot = process.getuid?.() === 0;
    const [valkey, sudo, apt, brew, docker, podman, os, aptSources] = await Promise.all([
        valkeyVersion(),
        isRoot ? false : works('sudo', '-n', 'true'),
        works('apt-get', '--version'),
        works('brew', '--version'),
        works('docker', 'info'),
        works('podman', 'info'),
        osRelease(),
        readSources(),
    ]);
    return {
        platform: process.platform,
        valkey,
        isRoot,
        sudo,
        apt,
        brew,
        engine: docker ? 'docker' : podman ? 'podman' : undefined,
        os,
        aptSources,
        systemd: existsSync('/run/systemd/system'),
    };
};
/** Of the valkey-server on PATH, such as `8.0.1`; undefined when there is none that runs. */
export const valkeyVersion = async () => {
    try {
        const { stdout } = await run('valkey-server', ['--version'], { timeout: 10_000 });
        return /v=(\S+)/.exec(stdout)?.[1];
    }
    catch {
        return undefined;
    }
};
const works = async (command, ...args) => run(command, args, { timeout: 10_000 }).then(() => true, () => false);
const osRelease = async () => {
    const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
    return Object.fromEntries([...text.matchAll(/^(\w+)="?(.*?)"?$/gm)].map(([, name = '', value = '']) => [name.toLowerCase(), value]));
};
const readSources = async () => {
    const folder = '/etc/apt/sources.list.d';
    const names = await readdir(folder).catch(() => []);
    const paths = ['/etc/apt/sources.list', ...names.filter((name) => /\.(list|sources)$/.test(name)).map((name) => join(folder, name))];
    const files = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, 'utf8').catch(() => '') })));
    return files.filter(({ text }) => text !== '');
};
//# sourceMappingURL=machine.js.map