#!/usr/bin/env node
// The command line. What is missing is installed and built first; standard output stays silent meanwhile.
import { ensureBuild } from '../scripts/lib/build.mjs';
import { ensureDependencies } from '../scripts/lib/dependencies.mjs';
import { enter } from '../scripts/lib/enter.mjs';
import { main } from '../scripts/lib/project.mjs';

const args = process.argv.slice(2);

await main(async () => {
  await ensureDependencies();
  await ensureBuild();
  await enter('dist/services/cli/main.js', args);
});
