import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzip } from 'fflate';
import { DomainError } from '../../../domain/errors.js';
import { placeFile } from './files.js';
const LAST_LINES = 600;
const CHUNK = 1 << 20;
/** Runs Maven's client to its end. It is a script that starts Java, so a stop goes to its whole process group. */
const runMaven = (args, { env, signal, limits }) => new Promise((resolve, reject) => {
    const child = spawn('mvn', args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const listen = (chunk) => {
        said = (said + chunk.toString('utf8')).slice(-LAST_LINES);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    const stop = () => {
        if (child.pid !== undefined && child.exitCode === null)
            process.kill(-child.pid, 'SIGTERM');
    };
    const deadline = setTimeout(stop, limits.mavenMs);
    signal?.addEventListener('abort', stop, { once: true });
    const settle = (error) => {
        clearTimeout(deadline);
        signal?.removeEventListener('abort', stop);
        if (error === undefined)
            resolve();
        else
            reject(error);
    };
    child.on('error', (error) => settle('code' in error && error.code === 'ENOENT' ? new Error('there is no mvn on PATH') : error));
    child.on('close', (code, killedBy) => {
        if (code === 0)
            settle();
        else if (killedBy !== null)
            settle(new Error(`it was stopped after at most ${limits.mavenMs / 1000} s`));
        else
            settle(new Error(`it ended with code ${code}: ${said.trim()}`));
    });
});
const unpack = (jar, wanted) => new Promise((resolve, reject) => {
    unzip(jar, { filter: ({ name }) => wanted.has(name) }, (error, files) => (error === null ? resolve(files) : reject(error)));
});
function* pieces(bytes) {
    for (let at = 0; at < bytes.length; at += CHUNK)
        yield bytes.subarray(at, at + CHUNK);
}
const bring = async (context, coordinates) => {
    const folder = await mkdtemp(join(tmpdir(), 'omnimem-jar-'));
    try {
        await runMaven(['--batch-mode', '--quiet', 'dependency:copy', `-Dartifact=${coordinates}`, `-DoutputDirectory=${folder}`], context);
        const jar = (await readdir(folder)).find((name) => name.endsWith('.jar'));
        if (jar === undefined)
            throw new Error('it brought no jar');
        const entries = await unpack(await readFile(join(folder, jar)), new Set(context.missing.map((file) => file.jarEntry)));
        for (const file of context.missing) {
            const bytes = entries[file.jarEntry];
            if (bytes === undefined)
                throw new Error(`the jar holds no ${file.jarEntry}`);
            await placeFile(context, file, { road: 'maven', origin: coordinates, chunks: pieces(bytes) });
        }
    }
    finally {
        await rm(folder, { recursive: true, force: true });
    }
};
const announce = ({ missing, onProgress }) => {
    for (const { path, bytes } of missing)
        onProgress({ road: 'maven', file: path, loaded: 0, total: bytes });
};
const coordinatesOf = ({ jar }) => jar.versions.map((version) => `${jar.group}:${jar.artifact}:${version}`);
/** Takes the model out of the jar that packs it, brought by Maven's client; the first version that can be had. */
export const fromMaven = async (context) => {
    const failures = [];
    announce(context);
    for (const coordinates of coordinatesOf(context.manifest)) {
        try {
            return await bring(context, coordinates);
        }
        catch (error) {
            context.signal?.throwIfAborted();
            failures.push(`${coordinates}: ${error instanceof Error ? error.message : String(error)}`);
        }
    }
    throw new DomainError('UNAVAILABLE', `Maven's client brought no model. ${failures.join('; ')}.`, 'Check that `mvn` runs and reaches its repository.');
};
//# sourceMappingURL=maven.js.map