import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../services/config.js';

/** A project of one file with the real scripts and a lock that names no package, so that nothing is fetched. */
let dir: string;
beforeEach(() => {
  dir = mkdtempSync('/tmp/omp ä-');
  for (const part of ['scripts', 'bin']) cpSync(join(projectRoot(), part), join(dir, part), { recursive: true });
  write('package.json', JSON.stringify({ name: 'tiny', version: '1.0.0', type: 'module' }));
  write(
    'package-lock.json',
    JSON.stringify({ name: 'tiny', version: '1.0.0', lockfileVersion: 3, packages: { '': { name: 'tiny', version: '1.0.0' } } }),
  );
  const options = { module: 'nodenext', target: 'es2023', strict: true, types: ['node'], rootDir: '.', sourceMap: true };
  write('tsconfig.json', JSON.stringify({ compilerOptions: options }));
  write('tsconfig.build.json', JSON.stringify({ extends: './tsconfig.json', include: ['services'] }));
  write('services/main.ts', program('one'));
  write('services/cli/main.ts', program('cli'));
  write('services/query.lua', 'return 1');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const write = (path: string, text: string): void => {
  mkdirSync(join(dir, path, '..'), { recursive: true });
  writeFileSync(join(dir, path), text);
};
/** Prints its word and arguments; waits for SIGTERM when the last argument says so. */
const program = (word: string): string => `if (process.argv.at(-1) === 'wait') {
  const beat: NodeJS.Timeout = setInterval(() => undefined, 1e6);
  process.on('SIGTERM', () => { clearInterval(beat); console.log('drained'); });
}
console.log(['${word}', ...process.argv.slice(2)].join(' '));
if (process.argv.at(-1) === 'throw') throw new Error('planted');
`;

type Outcome = { code: number | null; stdout: string; stderr: string };
const spawnScript = (script: string, args: readonly string[]): ReturnType<typeof spawn> =>
  spawn(process.execPath, [join(dir, script), ...args], { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
const run = async (script: string, ...args: string[]): Promise<Outcome> => {
  const child = spawnScript(script, args);
  const outcome = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text) => {
    outcome.stdout += text;
  });
  child.stderr?.on('data', (text) => {
    outcome.stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, ...outcome };
};
const giveCompiler = (): void => {
  mkdirSync(join(dir, 'node_modules'), { recursive: true });
  for (const name of ['typescript', '@types']) symlinkSync(join(projectRoot(), 'node_modules', name), join(dir, 'node_modules', name));
};
const install = async (): Promise<void> => {
  await run('scripts/start.mjs');
  giveCompiler();
};

describe('npm start', () => {
  it('installs, then says in one page that there is no compiler', async () => {
    const { code, stderr, stdout } = await run('scripts/start.mjs');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('Installing dependencies');
    expect(stderr).toContain('neither a compiled program (dist) nor a compiler');
    expect(stderr).not.toContain('    at ');
  });

  it('builds once, takes files along, and builds again when a source changed', async () => {
    await install();
    expect(await run('scripts/start.mjs', 'a b')).toEqual({ code: 0, stdout: 'one start a b\n', stderr: 'Building.\n' });
    expect(readFileSync(join(dir, 'dist/services/query.lua'), 'utf8')).toBe('return 1');
    expect(await run('scripts/start.mjs')).toEqual({ code: 0, stdout: 'one start\n', stderr: '' });
    write('services/main.ts', program('two'));
    rmSync(join(dir, 'services/cli/main.ts'));
    expect(await run('scripts/start.mjs')).toEqual({ code: 0, stdout: 'two start\n', stderr: 'Building.\n' });
    expect(existsSync(join(dir, 'dist/services/cli/main.js'))).toBe(false);
  });

  it('shows why the sources do not compile, and keeps the last build', async () => {
    await install();
    await run('scripts/start.mjs');
    write('services/main.ts', 'const wrong: number = "text";');
    const { code, stderr } = await run('scripts/start.mjs');
    expect(code).toBe(1);
    expect(stderr).toMatch(/do not compile[\s\S]*main\.ts.*TS2322/);
    expect(readFileSync(join(dir, 'dist/services/main.js'), 'utf8')).toContain('one');
  });

  it('runs what was built where there is no compiler', async () => {
    await install();
    await run('scripts/start.mjs');
    rmSync(join(dir, 'node_modules/typescript'));
    write('services/main.ts', program('changed'));
    expect(await run('scripts/start.mjs')).toEqual({ code: 0, stdout: 'one start\n', stderr: '' });
  });

  it('installs again when the lock changed', async () => {
    await install();
    const lock = readFileSync(join(dir, 'package-lock.json'), 'utf8');
    write('package-lock.json', `${lock}\n`);
    expect((await run('scripts/start.mjs')).stderr).toContain('Installing dependencies');
  });

  it('twice at the same time builds once', async () => {
    await install();
    const outcomes = await Promise.all([run('scripts/start.mjs'), run('bin/omnimem.mjs'), run('scripts/start.mjs')]);
    expect(outcomes.map(({ stdout }) => stdout)).toEqual(['one start\n', 'cli\n', 'one start\n']);
    expect(outcomes.filter(({ stderr }) => stderr.includes('Building.'))).toHaveLength(1);
  });

  it('passes signals and the exit code, and traces errors to the sources', async () => {
    await install();
    await run('scripts/start.mjs');
    const waiting = spawnScript('scripts/start.mjs', ['wait']);
    await once(waiting.stdout ?? waiting, 'data');
    const ended = once(waiting, 'exit');
    waiting.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    const { code, stderr } = await run('scripts/start.mjs', 'throw');
    expect(code).toBe(1);
    expect(stderr).toContain('main.ts:6');
  });
});

describe('omnimem', () => {
  it('prints nothing of its own to standard output, also when it builds first', async () => {
    await install();
    const { stdout, stderr } = await run('bin/omnimem.mjs', 'recall', '--json');
    expect({ stdout, stderr }).toEqual({ stdout: 'cli recall --json\n', stderr: 'Building.\n' });
  });
});
