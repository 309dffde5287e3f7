// `npm run bench`: compiles the benchmarks and runs them; arguments go to them.
import { ensureBench } from './lib/build.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { enter } from './lib/enter.mjs';
import { main } from './lib/project.mjs';

const args = process.argv.slice(2);

await main(async () => {
  await ensureDependencies();
  await ensureBench();
  await enter('dist/bench/test/bench/main.js', args);
});
