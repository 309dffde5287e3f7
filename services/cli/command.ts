import type { Command } from 'commander';
import type { Context, GlobalOptions } from './context.js';
import type { ExitCode } from './exit-codes.js';

/** Adds one command to the program. */
export type AddCommand = (program: Command) => void;

/**
 * Gives a command its work. Whatever is slow to load is loaded here and not before, so that help answers at once.
 * `args` are the command's own arguments in order; a variadic one is a list.
 */
export const does = <Options extends object>(
  command: Command,
  work: (context: Context, options: Options, ...args: (string | string[] | undefined)[]) => Promise<ExitCode>,
): Command =>
  command.action(async (...given: unknown[]) => {
    const args = given.slice(0, -2) as (string | string[] | undefined)[];
    const { runInContext } = await import('./context.js');
    const options = command.opts<Options>();
    process.exitCode = await runInContext(nameOf(command), command.optsWithGlobals<GlobalOptions>(), (context) =>
      work(context, options, ...args),
    );
  });

/** `backup purge`: without the program's own. */
const nameOf = (command: Command): string => (command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name());

/** For an option that may be given several times. */
export const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

export const examples = (...lines: readonly string[]): string => `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
