/** The fields of an `INFO` reply. */
export const parseInfo = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(/\r?\n/).flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return colon > 0 && !line.startsWith('#') ? [[line.slice(0, colon), line.slice(colon + 1)]] : [];
    }),
  );
