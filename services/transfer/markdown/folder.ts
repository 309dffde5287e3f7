import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { escapedControls } from '../../../domain/characters.js';

export type MarkdownFile = {
  readonly path: string;
  /** From the folder that is imported, with `/`; on one line, whatever the file is called. */
  readonly name: string;
  /** Epoch milliseconds of its last change. */
  readonly modified: number;
};

export type Folder = {
  readonly files: readonly MarkdownFile[];
  /** Names of Markdown files that went, or whose name is no UTF-8. */
  readonly unreadable: readonly string[];
  readonly others: number;
  readonly links: number;
};

const MARKDOWN = /\.(md|markdown|mdc)$/i;
/** Belongs to git, as its folder does; an export writes one. */
const GIT_ATTRIBUTES = '.gitattributes';
/** Folders that hold other people's text, or none. */
const SKIPPED = new Set(['.git', 'node_modules', '.obsidian', '.trash']);

export const isMarkdownName = (name: string): boolean => MARKDOWN.test(name);

/** Every Markdown file under a folder, by name; or the one file itself. Symbolic links are counted and not followed. */
export const markdownFiles = async (root: string): Promise<Folder> => {
  const found = await stat(root);
  if (found.isFile())
    return { files: [{ path: root, name: escapedControls(basename(root)), modified: found.mtimeMs }], unreadable: [], others: 0, links: 0 };
  const files: MarkdownFile[] = [];
  const unreadable: string[] = [];
  let others = 0;
  let links = 0;
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) links += 1;
      else if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) await walk(path);
      } else if (entry.isFile() && isMarkdownName(entry.name)) {
        const name = escapedControls(relative(root, path).split(sep).join('/'));
        const modified = await stat(path).then(
          ({ mtimeMs }) => mtimeMs,
          () => undefined,
        );
        if (modified === undefined) unreadable.push(name);
        else files.push({ path, name, modified });
      } else if (entry.name !== GIT_ATTRIBUTES) others += 1;
    }
  };
  await walk(root);
  return { files: files.sort((a, b) => (a.name < b.name ? -1 : 1)), unreadable, others, links };
};
