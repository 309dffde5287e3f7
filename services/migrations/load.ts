import { readdir } from 'node:fs/promises';
import type { Migration } from '../../domain/migration.js';

/** `0001-what-it-does.js`, or `.ts` where the sources run. */
const FILE = /^(\d{4})-([a-z0-9-]+)\.(?:js|ts)$/;

/** The folder `migrations/` beside this code, compiled or not. */
const FOLDER = new URL('../../migrations/', import.meta.url);

/**
 * Every migration of the program, by number. They are found by their file names, so that nothing in `services/` names one.
 * Throws when a file's name and content disagree or a number is missing.
 */
export const loadMigrations = async (folder: URL = FOLDER): Promise<readonly Migration[]> => {
  const names = (await readdir(folder).catch(() => [])).filter((name) => FILE.test(name)).sort();
  const migrations = await Promise.all(names.map((name) => loadOne(folder, name)));
  for (const [i, { number, name }] of migrations.entries()) {
    if (number !== i + 1) throw new Error(`Migration ${name} has number ${number}; the next one is ${i + 1}`);
  }
  return migrations;
};

const loadOne = async (folder: URL, file: string): Promise<Migration> => {
  const { migration } = (await import(new URL(file, folder).href)) as { readonly migration?: Migration };
  const [, number, name] = FILE.exec(file) ?? [];
  if (migration?.number !== Number(number) || migration.name !== name) throw new Error(`${file} does not export the migration it names`);
  return migration;
};
