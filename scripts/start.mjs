// `npm start`: installs and builds what is missing, then runs the server.
import { ensureBuild } from './lib/build.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { enter } from './lib/enter.mjs';
import { main } from './lib/project.mjs';

const args = process.argv.slice(2);

await main(async () => {
  await ensureDependencies();
  await ensureBuild();
  await enter('dist/services/main.js', ['start', ...args]);
});
