import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
const hooks = new URL('./run-from-source.mjs', import.meta.url).href;
const throughHooks = ['--import', `data:text/javascript,import{register}from"node:module";register(${JSON.stringify(hooks)})`];
/** This thread holds the compiler too: its native part crashes when the last thread that used it ends and another begins. */
const holdCompiler = () => createRequire(import.meta.url)('@swc/core');
/**
 * Starts `<name>` of this folder as a worker thread: the compiled file beside this compiled one, or the source beside this
 * source (vitest). What the thread's libraries print goes to stderr, since stdout may carry a protocol.
 */
export const launch = (name, workerData) => {
    const fromSource = import.meta.url.endsWith('.ts');
    if (fromSource)
        holdCompiler();
    const worker = new Worker(new URL(`./${name}${fromSource ? '.ts' : '.js'}`, import.meta.url), {
        workerData,
        execArgv: fromSource ? throughHooks : [],
        stdout: true,
    });
    worker.stdout.on('data', (chunk) => process.stderr.write(chunk));
    return worker;
};
//# sourceMappingURL=launch.js.map