/** A capital after a small letter or digit, or a run of capitals before a capitalised word: `getUser`, `HTTPServer`. */
const CAMEL = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}{2}/u;
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;
/** Between the segments of a path, address or scope. */
const SEGMENTS = /[/\\:@]+/;
/** Between the names of a segment, and between the words of a name. */
const DOTS = /[-.+~#]+/;
const UNDERSCORES = /_+/;
const COMPOUND = /[-._+~/\\:@#]/;
/** The first four numbers: more is no version. */
const VERSION = /^v?(\d+(?:\.\d+){1,3})/;
const HEX = /^0x([\da-f]{3,})$/i;
/** What parts of an identifier stand between. */
const BOUNDARY = /[/\\:@\-.+~#_]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/gu;
/** The code of a ticket, and a name of words that underscores join. */
const TICKET = /^(\p{L}{2,10})[-_](\d{1,7})$/u;
const UNDERSCORED = /^_*[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)+_*$/u;
/** Words that hyphens join, a word with `.js` behind it, and short ones with a slash between: `fail-over`, `Node.js`, `CI/CD`. */
const HYPHENATED = /^(?=.*\p{L})[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+){1,4}$/u;
const DOT_JS = /^\p{L}{2,}\.js$/iu;
const SLASHED = /^\p{L}{1,3}\/\p{L}{1,3}$/u;
const LONGEST_JOINED = 40;
/** Longer names are cut on both sides, so that they still meet. Room for a SHA-512 in hex. UTF-16 units. */
export const LONGEST_TERM = 128;

/** Whether a chunk of text is more than one plain word or number. */
export const isCompound = (chunk: string): boolean => COMPOUND.test(chunk) || CAMEL.test(chunk) || HEX.test(chunk);

const wordsOf = (name: string): string[] =>
  name
    .split(UNDERSCORES)
    .flatMap((word) => (CAMEL.test(word) ? word.split(HUMP) : [word]))
    .filter((word) => word !== '');

/** `v20.11.1` is also found by `20.11.1` and `20.11`; a single number out of a version says nothing. */
const versionNames = (segment: string): string[] => {
  const numbers = VERSION.exec(segment.slice(0, LONGEST_TERM))?.[1]?.split('.') ?? [];
  return numbers.slice(1).map((_, i) => numbers.slice(0, i + 2).join('.'));
};

/**
 * The names that an identifier goes by beside its whole self, lower-cased and distinct: the segments of a path, the
 * names in a segment, the numbers of a version, and the words of each name. `@scope/fetch-user.ts` gives `scope`, `fetch-user.ts`, `fetch`,
 * `user`, `ts`. `joined` are the names as they are written in one (`get_user` as `getuser`, `PROJ-17` as `proj17`).
 */
export const partsOf = (chunk: string): { readonly names: string[]; readonly words: string[]; readonly joined: string[] } => {
  const hex = HEX.exec(chunk)?.[1];
  if (hex !== undefined) return { names: [hex.toLowerCase()], words: [], joined: [] };
  const names = new Set<string>();
  const words = new Set<string>();
  const joined = new Set<string>();
  if (SLASHED.test(chunk)) joined.add(chunk.replace('/', '').toLowerCase());
  for (const segment of chunk.split(SEGMENTS)) {
    const lower = segment.toLowerCase();
    if (segment.length < chunk.length && COMPOUND.test(segment)) names.add(lower);
    const versions = versionNames(lower);
    const ticket = TICKET.exec(segment);
    if (ticket) joined.add(`${ticket[1]}${ticket[2]}`.toLowerCase());
    if ((HYPHENATED.test(segment) || DOT_JS.test(segment)) && segment.length <= LONGEST_JOINED)
      joined.add(segment.replace(/[-.]/g, '').toLowerCase());
    for (const version of versions) names.add(version);
    for (const name of segment.split(DOTS)) {
      if (versions.length > 0 && name.length < 3) continue;
      if (isCompound(name)) names.add(name.toLowerCase());
      if (UNDERSCORED.test(name)) joined.add(name.replace(/_/g, '').toLowerCase());
      for (const word of wordsOf(name)) words.add(word.toLowerCase());
    }
  }
  const whole = chunk.toLowerCase();
  names.delete(whole);
  words.delete(whole);
  return { names: [...names], words: [...words], joined: [...joined] };
};

/**
 * What an identifier ends in from each of its parts on, the longest first, lower-cased: `src/getUser` gives `getuser`, `user`. Of one
 * that is longer than a term, the parts of its last 128 characters.
 */
export const endingsOf = (chunk: string): string[] => {
  const end = chunk.slice(-LONGEST_TERM);
  return [...end.matchAll(BOUNDARY)]
    .map(({ 0: mark, index }) => end.slice(index + mark.length).toLowerCase())
    .filter((ending) => ending !== '');
};
