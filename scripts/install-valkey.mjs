// Finds a valkey-server, installing one where that can be done without asking. `npm start` and `npm test` do the same.
import { pathToFileURL } from 'node:url';
import { ensureBuild } from './lib/build.mjs';
import { ensureDependencies } from './lib/dependencies.mjs';
import { inProject, main, Page, say } from './lib/project.mjs';

export const ensureValkey = async () => {
  await ensureDependencies();
  await ensureBuild();
  const { obtainValkey } = await import(pathToFileURL(inProject('dist', 'services', 'valkey', 'install', 'install.js')).href);
  try {
    return await obtainValkey(inProject('data'), say);
  } catch (error) {
    throw error.hint ? new Page(`${error.message}.\n\n${error.hint}`) : error;
  }
};

if (process.argv[1] === inProject('scripts', 'install-valkey.mjs')) {
  await main(async () => say((await ensureValkey()).description));
}
