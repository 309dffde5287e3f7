/** A file below /etc/apt that names package archives. */
export type SourcesFile = { readonly path: string; readonly text: string };

/**
 * The archive of `<codename>-backports`, taken from where this machine gets `<codename>` itself, in the format that it uses.
 * `present` when it is configured already, undefined when no entry for `<codename>` is found.
 */
export const backportsSource = (
  files: readonly SourcesFile[],
  codename: string,
): { name: string; text: string } | 'present' | undefined => {
  const entries = files.flatMap(({ path, text }) => (path.endsWith('.sources') ? stanzasOf(text) : linesOf(text)));
  const backports = `${codename}-backports`;
  if (entries.some(({ suites }) => suites.includes(backports))) return 'present';
  const base = entries.find(({ suites }) => suites.includes(codename));
  return base && { name: `${backports}.${base.extension}`, text: base.withSuite(backports) };
};

type Entry = { readonly suites: readonly string[]; readonly extension: 'sources' | 'list'; readonly withSuite: (suite: string) => string };

/** deb822: stanzas of `Field: value`, where a value goes on in lines that begin with a blank. */
const stanzasOf = (text: string): Entry[] =>
  text.split(/\n\s*\n/).flatMap((stanza) => {
    const fields = fieldsOf(stanza);
    const value = (name: string): string => fields.find((field) => field.name === name)?.value ?? '';
    if (!/\bdeb\b/.test(value('types').replace('deb-src', '')) || /^(no|false|0)$/i.test(value('enabled').trim())) return [];
    const withSuite = (suite: string): string =>
      fields
        .map(({ name, label, value: old }) => (name === 'suites' ? `Suites: ${suite}` : `${label}:${old}`))
        .join('\n')
        .concat('\n');
    return [{ suites: words(value('suites')), extension: 'sources' as const, withSuite }];
  });

const fieldsOf = (stanza: string): { name: string; label: string; value: string }[] => {
  const fields: { name: string; label: string; value: string }[] = [];
  for (const line of stanza.split('\n').filter((each) => each.trim() !== '' && !each.startsWith('#'))) {
    const last = fields.at(-1);
    const colon = line.indexOf(':');
    if (/^\s/.test(line) && last) last.value += `\n${line}`;
    else if (colon > 0)
      fields.push({ name: line.slice(0, colon).toLowerCase(), label: line.slice(0, colon), value: line.slice(colon + 1) });
  }
  return fields;
};

/** One line: `deb [options] uri suite component…`. */
const linesOf = (text: string): Entry[] =>
  text.split('\n').flatMap((line) => {
    const [, start = '', suite, components = ''] = /^\s*(deb\s+(?:\[[^\]]*\]\s+)?\S+\s+)(\S+)(.*)$/.exec(line) ?? [];
    return suite === undefined
      ? []
      : [{ suites: [suite], extension: 'list' as const, withSuite: (other: string) => `${start}${other}${components}\n` }];
  });

const words = (text: string): string[] => text.trim().split(/\s+/);
