/** Prefixes under which every name is ours. */
const OURS = /^OMNIMEM_/;
/** Prefixes that others use too: only a near miss of a name of ours is worth a word. */
const SHARED = /^(MCP|VALKEY|RECALL|MEMORY|EMBEDDING|INGEST|HF|DEDUP|CONTRADICTION|BACKUP|LOG|ANTHROPIC|LLM|ENRICHMENT)_/;

/** Warnings for names that nobody reads: every unknown OMNIMEM_ name, and near misses of the others. */
export const misspellings = (names: readonly string[], known: readonly string[]): string[] =>
  names.flatMap((name) => {
    if (known.includes(name)) return [];
    const near = nearest(name, known);
    if (near !== undefined && (OURS.test(name) || SHARED.test(name))) return [`${name} is not a setting; did you mean ${near}?`];
    return OURS.test(name) ? [`${name} is not a setting of this version and is ignored; .env.example lists them all`] : [];
  });

/** The known name at an edit distance of at most 2 (3 from 15 characters on). */
const nearest = (name: string, known: readonly string[]): string | undefined => {
  const limit = name.length < 15 ? 2 : 3;
  return known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)[0]?.candidate;
};

/** Levenshtein: insertions, deletions and substitutions that turn `a` into `b`. */
export const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};
