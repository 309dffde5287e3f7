import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { type Runner, runTypeScript } from '../../support/run-ts.js';

let runner: Runner | undefined;
afterEach(() => runner?.kill());

/** A program that takes `argv[2]` ms to drain, within a grace of `argv[3]` ms. */
const PROGRAM = `import { runUntilStopped } from './services/lifecycle.ts';
const [drainMs, graceMs] = process.argv.slice(2).map(Number);
await runUntilStopped(async (signal) => {
  console.log(JSON.stringify('up'));
  await new Promise((resolve) => { const beat = setInterval(() => {}, 1e6); signal.addEventListener('abort', () => { clearInterval(beat); resolve(undefined); }); });
  console.log(JSON.stringify('draining'));
  await new Promise((resolve) => setTimeout(resolve, drainMs));
  console.log(JSON.stringify('drained'));
}, graceMs);`;

const started = async (drainMs: number, graceMs: number): Promise<{ program: Runner; ended: Promise<unknown[]> }> => {
  runner = await runTypeScript(PROGRAM, [String(drainMs), String(graceMs)]);
  const ended = once(runner.process, 'exit');
  expect(await runner.next()).toBe('up');
  return { program: runner, ended };
};

describe('a program that runs until it is stopped', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('drains at %s and ends well', async (signal) => {
    const { program, ended } = await started(50, 10_000);
    program.process.kill(signal);
    expect([await program.next(), await program.next()]).toEqual(['draining', 'drained']);
    expect(await ended).toEqual([0, null]);
  });

  it('takes an echo of the first signal for the same one', async () => {
    const { program, ended } = await started(500, 10_000);
    program.process.kill('SIGINT');
    expect(await program.next()).toBe('draining');
    program.process.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  it('ends at once at a second signal', async () => {
    const { program, ended } = await started(600_000, 600_000);
    program.process.kill('SIGINT');
    expect(await program.next()).toBe('draining');
    await new Promise((resolve) => setTimeout(resolve, 400));
    program.process.kill('SIGINT');
    expect(await ended).toEqual([1, null]);
  });

  it('ends when the grace is over', async () => {
    const { program, ended } = await started(600_000, 100);
    program.process.kill('SIGTERM');
    expect(await ended).toEqual([1, null]);
  });
});
