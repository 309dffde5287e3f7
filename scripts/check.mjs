// `npm run check`: lint, types and arrows, without the tests.
import { runChecks } from './lib/checks.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { main } from './lib/project.mjs';

await main(async () => {
  await ensureDependencies();
  const failed = await runChecks((text) => process.stdout.write(`${text}\n`));
  process.exitCode = failed.length > 0 ? 1 : 0;
});
