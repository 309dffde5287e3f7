import { pathToFileURL } from 'node:url';
import { inProject } from './project.mjs';

/**
 * Becomes the program: it runs in this very process, so that signals need no forwarding and nothing is started twice.
 * `entry` is a path below the project's root.
 */
export const enter = async (entry, args) => {
  process.setSourceMapsEnabled(true);
  const path = inProject(...entry.split('/'));
  process.argv = [process.execPath, path, ...args];
  await import(pathToFileURL(path).href);
};
