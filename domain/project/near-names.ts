/** Most suggestions for one name. */
const SUGGESTED = 3;

/** Ends that a checkout's folder adds to the name of its repository: `shop.git`, `shop-worktree-2`, `shop_wt`. */
const CHECKOUT_END = /[-_. ]*(?:\.git|[-_. ](?:git|work-?trees?|wt)[-_. ]?\d{0,3})$/i;
const SEPARATORS = /[-_. ]+/;

type Spelling = { readonly words: readonly string[]; readonly joined: string; readonly digits: string };

/** A name without what spellings of one project differ in: case, separators, and the end of a checkout's folder. */
const spellingOf = (name: string): Spelling => {
  const words = (name.replace(CHECKOUT_END, '') || name)
    .toLowerCase()
    .split(SEPARATORS)
    .filter((word) => word !== '');
  return { words, joined: words.join(''), digits: name.replaceAll(/\D+/g, ' ').trim() };
};

/** Slips of the pen that a word may hold: none in a short one, where one letter makes another word. */
const slipsIn = (length: number): number => (length < 5 ? 0 : length < 10 ? 1 : 2);

/**
 * Least number of letters inserted, left out, changed or swapped with their neighbour between two words (optimal string
 * alignment), or more than `most` when it is more than that.
 */
const distance = (a: string, b: string, most: number): number => {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const steps = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1)];
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) steps.push((beforeLast[j - 2] ?? 0) + 1);
      row.push(Math.min(...steps));
    }
    if (Math.min(...row) > most) return most + 1;
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
};

const slipsBetween = (a: string, b: string): number | undefined => {
  const most = slipsIn(Math.max(a.length, b.length));
  const slips = distance(a, b, most);
  return slips <= most ? slips : undefined;
};

/** How far apart two spellings are, 0 for one name written twice; undefined when they are two names. */
const apart = (a: Spelling, b: Spelling): number | undefined => {
  if (a.joined === b.joined) return 0;
  // service-1 and service-2, or 2025 and 2026, differ on purpose.
  if (a.digits !== b.digits) return undefined;
  if (a.words.length !== b.words.length) return slipsBetween(a.joined, b.joined);
  let slips = 0;
  for (const [i, word] of a.words.entries()) {
    const here = slipsBetween(word, b.words[i] ?? '');
    if (here === undefined) return undefined;
    slips += here;
  }
  return slips <= slipsIn(Math.max(a.joined.length, b.joined.length)) ? slips : undefined;
};

/**
 * Which known names a name may be another spelling of, nearest first, at most three: the same but for case, separators and
 * a checkout's ending, or a slip of the pen away, relative to the length of each word. Names that differ in a digit are
 * two names. A suggestion for people; nothing may be filed elsewhere because of it.
 */
export const nearNames = (name: string, known: Iterable<string>): readonly string[] => {
  const spelling = spellingOf(name);
  const found: { readonly other: string; readonly far: number }[] = [];
  for (const other of known) {
    const far = other === name ? undefined : apart(spelling, spellingOf(other));
    if (far !== undefined) found.push({ other, far });
  }
  return found
    .sort((a, b) => a.far - b.far || (a.other < b.other ? -1 : 1))
    .slice(0, SUGGESTED)
    .map(({ other }) => other);
};
