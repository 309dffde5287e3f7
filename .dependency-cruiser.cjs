/** The arrows of docs/architecture.md: services -> projections -> domain; migrations and tests look at them from outside. */
const onlyInto = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: `^${from}/` },
  to: { path: '^(domain|projections|services|migrations|test|scripts|bin)/', pathNot: `^(${allowed.join('|')})` },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    onlyInto('domain-is-pure', 'domain', ['domain/']),
    onlyInto('projections-see-domain', 'projections', ['domain/', 'projections/']),
    onlyInto('services-see-projections', 'services', ['domain/', 'projections/', 'services/']),
    onlyInto('migrations-see-the-log', 'migrations', ['domain/', 'projections/', 'services/eventlog/', 'migrations/']),
    {
      name: 'domain-without-io',
      severity: 'error',
      from: { path: '^domain/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'domain-uses-few-libraries',
      severity: 'error',
      from: { path: '^domain/' },
      to: { path: 'node_modules', pathNot: 'node_modules/(zod|ulid|stemmer|chrono-node)/' },
    },
    {
      name: 'edges-call-commands-and-queries-only',
      severity: 'error',
      from: { path: '^services/(mcp|cli|web|feeds)/' },
      to: { path: '^services/eventlog/' },
    },
    {
      name: 'a-query-never-appends',
      severity: 'error',
      from: { path: '^services/queries/' },
      to: { path: '^services/(commands|mcp|cli)/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
