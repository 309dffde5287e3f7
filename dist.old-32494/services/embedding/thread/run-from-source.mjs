// Lets a worker thread run from the TypeScript sources under Node 20 (vitest, tsx). Compiled code never loads this file.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

export const resolve = (specifier, context, next) => {
  const fromSource = context.parentURL?.endsWith('.ts') && specifier.startsWith('.') && specifier.endsWith('.js');
  return next(fromSource ? specifier.replace(/\.js$/, '.ts') : specifier, context);
};

export const load = async (url, context, next) => {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
};
