import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { alone } from './lock.mjs';
import { inProject, Page, runPackage, say } from './project.mjs';

const PRODUCT = { out: 'dist', tsconfig: 'tsconfig.build.json', rooms: ['domain', 'projections', 'services', 'migrations'] };
const BENCH = { out: 'dist/bench', tsconfig: 'tsconfig.bench.json', rooms: [...PRODUCT.rooms, 'test/bench', 'test/support'] };

/** Compiles the product to dist when the sources changed since. Without a compiler (a production install) dist is taken as it is. */
export const ensureBuild = () => ensure(PRODUCT);
/** Compiles the product and the benchmarks to dist/bench. */
export const ensureBench = () => ensure(BENCH);

const COMPILER = 'typescript/bin/tsc';

const ensure = async (target) => {
  if (current(target)) return;
  if (!existsSync(inProject('node_modules', COMPILER))) {
    if (existsSync(inProject(target.out, 'services', 'main.js'))) return;
    throw new Page(
      'There is neither a compiled program (dist) nor a compiler.\nRun npm ci with the development dependencies, then start again.',
    );
  }
  await alone(async () => {
    if (!current(target)) await build(target);
  });
};

/** Into a fresh folder that then takes the place of the old one: a build that fails leaves what was there. */
const build = async ({ out, tsconfig, rooms }) => {
  say('Building.');
  const stamp = digestOf({ tsconfig, rooms });
  const [fresh, old] = [inProject('node_modules', `.omnimem-build-${process.pid}`), inProject(`${out}.old-${process.pid}`)];
  rmSync(fresh, { recursive: true, force: true });
  const { code, output } = await runPackage(COMPILER, ['-p', tsconfig, '--outDir', fresh], { capture: true });
  if (code !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Page(`The sources do not compile:\n\n${output.trim()}`);
  }
  for (const file of rooms.flatMap(filesIn)) {
    if (file.endsWith('.ts')) continue;
    mkdirSync(dirname(join(fresh, file)), { recursive: true });
    cpSync(inProject(file), join(fresh, file));
  }
  writeFileSync(join(fresh, '.stamp'), stamp);
  mkdirSync(dirname(inProject(out)), { recursive: true });
  if (existsSync(inProject(out))) renameSync(inProject(out), old);
  renameSync(fresh, inProject(out));
  rmSync(old, { recursive: true, force: true });
};

const current = ({ out, tsconfig, rooms }) => {
  const stamp = inProject(out, '.stamp');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digestOf({ tsconfig, rooms });
};

/** Over names, sizes and times of everything that the build reads: a few milliseconds, no contents. */
const digestOf = ({ tsconfig, rooms }) => {
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', 'tsconfig.json', tsconfig, ...rooms.flatMap(filesIn)]) {
    const { size, mtimeMs } = statSync(inProject(file), { throwIfNoEntry: false }) ?? { size: -1, mtimeMs: -1 };
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
};

const filesIn = (folder) => {
  if (!existsSync(inProject(folder))) return [];
  return readdirSync(inProject(folder), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesIn(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]))
    .sort();
};
