import { printable } from './output.js';
import type { Progress } from './progress.js';

/** How far the work was when it was last told. */
export type Reached = { readonly what: string; readonly done: number; readonly total: number };

/** What stays of a long command that Ctrl-C ended, by its name. A command that is not named here has nothing to say. */
const STAYS: Readonly<Record<string, (last: Reached | undefined, args: readonly string[]) => string>> = {
  restore: (last) =>
    last?.what === 'restoring'
      ? 'What was restored stays, and nothing else is written there until it is finished (or given up with --give-up)'
      : 'Nothing was changed',
  merge: (last) =>
    last === undefined || last.what === 'checking' ? 'Nothing was changed' : 'What was brought in stays, the rest is not here yet',
  backup: (last) => (last === undefined ? 'Nothing was added yet' : 'What was written stays good, the rest is not in it yet'),
  'backup purge': () => 'Files that were rewritten stay so, the others still hold what was forgotten',
  replay: () => 'The views that serve are whole; a view whose turn had come may still be finished by the server',
  verify: () => 'Nothing was changed',
  forget: (_last, args) =>
    args.includes('--confirm') ? 'What was erased stays erased; the rest is erased when it is confirmed again' : 'Nothing was changed',
  undo: () => 'What was put back stays; a server that runs on puts back the rest',
  remember: (_last, args) =>
    args.includes('--force')
      ? 'It may be stored already, and would be stored again: look with omnimem recall first'
      : 'It may be stored already; nothing is stored twice',
  migrate: () => 'What was migrated stays, the rest is still to come',
  export: () => 'Nothing was written',
  import: (last) => (last === undefined ? 'Nothing was imported yet' : 'What was imported stays, the rest is not here yet'),
  reembed: () => 'Vectors that were made stay, and the old ones serve until all are there',
  reindex: () => 'A server that runs on goes on with it, and what serves is whole',
  maintain: () => 'What was done stays; its undo is in the log',
  enrich: () => 'The server goes on with it',
  'model fetch': () => 'What was fetched stays',
};

/** Passes progress on and remembers the last of it. */
export const remembering = (progress: Progress): Progress & { readonly last: () => Reached | undefined } => {
  let last: Reached | undefined;
  return {
    ...progress,
    bar: (what, done, total) => {
      last = { what, done, total };
      progress.bar(what, done, total);
    },
    last: () => last,
  };
};

/** What is said when Ctrl-C ended a command: what is done, and the command that goes on. Undefined when there is nothing to say. */
export const sayInterrupted = (name: string, args: readonly string[], last: Reached | undefined, json: boolean): string | undefined => {
  const stays = STAYS[name]?.(last, args);
  if (stays === undefined) return undefined;
  const next = `omnimem ${args.map(quoted).join(' ')}`;
  if (json) return JSON.stringify({ interrupted: { ...last, stays, next } });
  const where = last === undefined ? '' : ` while ${last.what} (${last.done} of ${last.total})`;
  return printable(`Interrupted${where}. ${stays}. To go on: ${next}`);
};

/** As a shell reads it. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
