// `npm test`: lint, types and arrows, then every test. Arguments go to vitest: `npm test -- test/specs`.
// The last line is `N passed, N failed, N skipped`.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureValkey } from './install-valkey.mjs';
import { runChecks } from './lib/checks.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { main, runPackage } from './lib/project.mjs';
import { tally } from './lib/tally.mjs';

const args = process.argv.slice(2);
const print = (text) => process.stdout.write(`${text}\n`);

await main(async () => {
  await ensureDependencies();
  if (!hasValkey()) await ensureValkey();
  const failedChecks = await runChecks(print);
  const { report, code } = await runTests();
  const { passed, failed, skipped } = tally(report, failedChecks.length);
  process.exitCode = failed > 0 || code !== 0 || passed === 0 ? 1 : 0;
  print(`${passed} passed, ${failed} failed, ${skipped} skipped`);
});

function hasValkey() {
  try {
    execFileSync('valkey-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'omnimem-test-'));
  const file = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const { code } = await runPackage('vitest/vitest.mjs', ['run', ...reporters, ...args], { stdout: 1 });
    return { code, report: JSON.parse(readFileSync(file, 'utf8')) };
  } catch {
    return { code: 1, report: undefined };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
