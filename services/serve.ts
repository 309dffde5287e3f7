import { isDomainError } from '../domain/errors.js';
import { openAttachments } from './attachments.js';
import { loadConfig } from './config.js';
import { AlreadyRunning, type Role, startInstance } from './instance.js';
import { runUntilStopped } from './lifecycle.js';
import { createLogger } from './log.js';
import { createJsonScreen, createScreen } from './screen.js';
import { tellParent } from './start-news.js';

export type ServeOptions = {
  readonly roles: readonly Role[];
  /** One JSON object a line on standard output, in place of the screen. */
  readonly json?: boolean;
  /** Ends by itself when nobody is attached any more; see services/attachments.ts. */
  readonly whileAttached?: boolean;
};

/** Runs services until a signal, with what a person sees of it on standard output. Returns the exit code. */
export const serve = async ({ roles, json = false, whileAttached = false }: ServeOptions): Promise<number> => {
  const { config, warnings, secrets } = loadConfig();
  const format = config.log.format === 'auto' ? (process.stderr.isTTY ? 'text' : 'json') : config.log.format;
  const screen = json ? createJsonScreen(process.stdout) : createScreen(process.stdout);
  // At a terminal the screen says what goes on; the log would only interrupt it with good news.
  const level = screen.live && config.log.level === 'info' ? 'warn' : config.log.level;
  const logger = createLogger({ level, format, secrets });
  for (const warning of warnings) logger.warn(warning);

  let failed = false;
  await runUntilStopped(async (stop) => {
    const attachments = whileAttached ? await openAttachments() : undefined;
    if (attachments && process.connected === false) attachments.starterGone();
    if (attachments && process.connected) process.once('disconnect', attachments.starterGone);
    const signal = attachments ? AbortSignal.any([stop, attachments.abandoned]) : stop;
    try {
      if (signal.aborted) return;
      const instance = await startInstance({
        config,
        logger,
        signal,
        roles,
        attachPort: attachments?.port,
        onStep: (report) => {
          screen.step(report);
          void tellParent({ step: report });
        },
        onModel: screen.model,
      });
      failed = instance.steps.some(({ state }) => state !== 'ok') && !signal.aborted;
      if (!signal.aborted) screen.summary(config, instance);
      try {
        if (!failed) await untilAborted(signal);
      } finally {
        screen.stopping();
        await instance.close();
        screen.stopped();
      }
    } catch (error) {
      if (isDomainError(error)) {
        const { code, message, hint } = error;
        await tellParent({ refused: { code, message, hint, taken: error instanceof AlreadyRunning } });
      }
      throw error;
    } finally {
      attachments?.close();
      if (process.connected) process.disconnect();
    }
  }, 30_000);
  return failed ? 1 : 0;
};

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const alive = setInterval(() => undefined, 2 ** 30);
    signal.addEventListener(
      'abort',
      () => {
        clearInterval(alive);
        resolve();
      },
      { once: true },
    );
  });
