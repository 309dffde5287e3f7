import { DomainError, isDomainError } from '../domain/errors.js';
import { loadConfig } from './config.js';
import { startInstance } from './instance.js';
import { runUntilStopped } from './lifecycle.js';
import { createLogger } from './log.js';
import { createScreen } from './screen.js';
const ROLES = { start: ['mcp', 'projector'], mcp: ['mcp'], projector: ['projector'] };
const HELP = `Usage: npm start [-- --help]
       node dist/services/main.js start|mcp|projector

Runs OmniMem until Ctrl-C: a Valkey of its own (unless VALKEY_URL is set), the views of the event log, the
embedding model and the MCP server. mcp and projector run one part each, for several services on one Valkey.

Settings come from the environment and from .env; .env.example lists them all.
Exit codes: 0 stopped, 1 a step failed or another instance runs here, 2 wrong arguments or settings.`;
/** Runs one or more services until a signal. Returns the exit code. */
const main = async (args) => {
    if (args.includes('--help') || args.includes('-h')) {
        process.stdout.write(`${HELP}\n`);
        return 0;
    }
    const named = args.length === 0 ? ['start'] : args;
    const unknown = named.find((name) => !Object.hasOwn(ROLES, name));
    if (unknown !== undefined)
        throw new DomainError('VALIDATION', `There is no service ${unknown}`, HELP);
    const roles = [...new Set(named.flatMap((name) => ROLES[name] ?? []))];
    const { config, warnings, secrets } = loadConfig();
    const format = config.log.format === 'auto' ? (process.stderr.isTTY ? 'text' : 'json') : config.log.format;
    const screen = createScreen(process.stdout);
    // At a terminal the screen says what goes on; the log would only interrupt it with good news.
    const level = screen.live && config.log.level === 'info' ? 'warn' : config.log.level;
    const logger = createLogger({ level, format, secrets });
    for (const warning of warnings)
        logger.warn(warning);
    let failed = false;
    await runUntilStopped(async (signal) => {
        const instance = await startInstance({ config, logger, signal, roles, onStep: screen.step, onModel: screen.model });
        failed = instance.steps.some(({ state }) => state !== 'ok') && !signal.aborted;
        if (!signal.aborted)
            screen.summary(config, instance);
        try {
            if (!failed)
                await untilAborted(signal);
        }
        finally {
            screen.stopping();
            await instance.close();
            screen.stopped();
        }
    }, 30_000);
    return failed ? 1 : 0;
};
const untilAborted = (signal) => new Promise((resolve) => {
    if (signal.aborted)
        return resolve();
    const alive = setInterval(() => undefined, 2 ** 30);
    signal.addEventListener('abort', () => {
        clearInterval(alive);
        resolve();
    }, { once: true });
});
try {
    process.exitCode = await main(process.argv.slice(2));
}
catch (error) {
    const known = isDomainError(error);
    process.stderr.write(`${known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    if (known && error.hint)
        process.stderr.write(`${error.hint}\n`);
    process.exitCode = known && error.code === 'VALIDATION' ? 2 : 1;
}
//# sourceMappingURL=main.js.map