/**
 * The archive of `<codename>-backports`, taken from where this machine gets `<codename>` itself, in the format that it uses.
 * `present` when it is configured already, undefined when no entry for `<codename>` is found.
 */
export const backportsSource = (files, codename) => {
    const entries = files.flatMap(({ path, text }) => (path.endsWith('.sources') ? stanzasOf(text) : linesOf(text)));
    const backports = `${codename}-backports`;
    if (entries.some(({ suites }) => suites.includes(backports)))
        return 'present';
    const base = entries.find(({ suites }) => suites.includes(codename));
    return base && { name: `${backports}.${base.extension}`, text: base.withSuite(backports) };
};
/** deb822: stanzas of `Field: value`, where a value goes on in lines that begin with a blank. */
const stanzasOf = (text) => text.split(/\n\s*\n/).flatMap((stanza) => {
    const fields = fieldsOf(stanza);
    const value = (name) => fields.find((field) => field.name === name)?.value ?? '';
    if (!/\bdeb\b/.test(value('types').replace('deb-src', '')) || /^(no|false|0)$/i.test(value('enabled').trim()))
        return [];
    const withSuite = (suite) => fields
        .map(({ name, label, value: old }) => (name === 'suites' ? `Suites: ${suite}` : `${label}:${old}`))
        .join('\n')
        .concat('\n');
    return [{ suites: words(value('suites')), extension: 'sources', withSuite }];
});
const fieldsOf = (stanza) => {
    const fields = [];
    for (const line of stanza.split('\n').filter((each) => each.trim() !== '' && !each.startsWith('#'))) {
        const last = fields.at(-1);
        const colon = line.indexOf(':');
        if (/^\s/.test(line) && last)
            last.value += `\n${line}`;
        else if (colon > 0)
            fields.push({ name: line.slice(0, colon).toLowerCase(), label: line.slice(0, colon), value: line.slice(colon + 1) });
    }
    return fields;
};
/** One line: `deb [options] uri suite component…`. */
const linesOf = (text) => text.split('\n').flatMap((line) => {
    const [, start = '', suite, components = ''] = /^\s*(deb\s+(?:\[[^\]]*\]\s+)?\S+\s+)(\S+)(.*)$/.exec(line) ?? [];
    return suite === undefined
        ? []
        : [{ suites: [suite], extension: 'list', withSuite: (other) => `${start}${other}${components}\n` }];
});
const words = (text) => text.trim().split(/\s+/);
//# sourceMappingURL=apt-sources.js.map