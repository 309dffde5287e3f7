/**
 * The same answer with the names of folders taken out of every text: whoever is served by the token of a tenant learns
 * nothing of the machine.
 */
export const withoutPaths = <T extends object>(answer: T, folders: readonly (string | undefined)[]): T => {
  const inJson = folders.flatMap((folder) => (folder === undefined ? [] : [JSON.stringify(folder).slice(1, -1)]));
  const longestFirst = inJson.sort((a, b) => b.length - a.length);
  return JSON.parse(
    longestFirst.reduce((text, folder) => text.replaceAll(folder, '(a folder of the server)'), JSON.stringify(answer)),
  ) as T;
};
