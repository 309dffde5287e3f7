import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'iovalkey';

/** A server-side script. Scripts live in the source tree as `.lua` files, with their `#!lua` line and its flags. */
export type Script = { readonly name: string; readonly source: string; readonly sha: string };

export type ScriptArgument = string | Buffer | number;

/** Makes a script of its text. */
export const scriptOf = (name: string, source: string): Script => ({ name, source, sha: createHash('sha1').update(source).digest('hex') });

/** Reads a script by its path from the package root, from the sources and from compiled code alike. Throws when it is missing. */
export const loadScript = (relativePathFromRoot: string): Script =>
  scriptOf(relativePathFromRoot, readFileSync(join(packageRoot(), relativePathFromRoot), 'utf8'));

/** Runs a script by its SHA and loads it first where the server does not know it. Bulk replies come as text. */
export const runScript = (redis: Redis, script: Script, keys: readonly string[], args: readonly ScriptArgument[]): Promise<unknown> =>
  withLoading(redis, script, () => redis.call('EVALSHA', invocation(script, keys, args)));

/** The same with bulk replies as Buffers. */
export const runScriptBuffer = (redis: Redis, script: Script, keys: readonly string[], args: readonly ScriptArgument[]): Promise<unknown> =>
  withLoading(redis, script, () => redis.callBuffer('EVALSHA', invocation(script, keys, args)));

const invocation = (script: Script, keys: readonly string[], args: readonly ScriptArgument[]): ScriptArgument[] => [
  script.sha,
  keys.length,
  ...keys,
  ...args,
];

/** Loads so often that a slot may move to another server between the loading and the run. */
const LOADS = 3;

const withLoading = async (redis: Redis, script: Script, run: () => Promise<unknown>): Promise<unknown> => {
  for (let loads = 0; ; loads++) {
    try {
      return await run();
    } catch (error) {
      // The server refuses an unknown script before it runs anything, so running it now is the first time.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT') || loads === LOADS) throw error;
      await redis.script('LOAD', script.source);
    }
  }
};

let root: string | undefined;

const packageRoot = (): string => {
  if (root !== undefined) return root;
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('No package.json above the compiled code: the package is not complete');
    folder = parent;
  }
  root = folder;
  return folder;
};
