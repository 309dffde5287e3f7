import { existsSync } from 'node:fs';
import { inProject, runPackage } from './project.mjs';

const plain = Boolean(process.env.NO_COLOR) || !process.stderr.isTTY;
// Tests may import anything; and the parser behind the arrows does not know their `await using`.
const rooms = ['domain', 'projections', 'services', 'migrations', 'scripts', 'bin'].filter((room) => existsSync(inProject(room)));

const CHECKS = [
  { name: 'lint', path: '@biomejs/biome/bin/biome', args: ['check', ...(plain ? ['--colors=off'] : []), '.'] },
  { name: 'types', path: 'typescript/bin/tsc', args: ['--noEmit', `--pretty`, String(!plain)] },
  { name: 'arrows', path: 'dependency-cruiser/bin/dependency-cruise.mjs', args: ['--config', '.dependency-cruiser.cjs', ...rooms] },
];

/** Lint, types, and the arrows between the rooms with import cycles, all of them. Returns the names of those that failed. */
export const runChecks = async (tell) => {
  const outcomes = await Promise.all(
    CHECKS.map(async ({ name, path, args }) => {
      const { code, output } = await runPackage(path, args, { capture: true });
      tell(code === 0 ? `${name}: ok` : `${name}: failed\n${output.trim()}`);
      return code === 0 ? [] : [name];
    }),
  );
  return outcomes.flat();
};
