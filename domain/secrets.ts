/** Live credentials in a text that is about to be stored. Formats are those their issuers publish. */

export type Secret = {
  readonly kind: string;
  /** UTF-16 offset and length. */
  readonly index: number;
  readonly length: number;
};

/** Group 1, or the whole match, is the credential. */
type Format = { readonly kind: string; readonly pattern: RegExp; readonly passes?: (credential: string) => boolean };

const token = (body: string): RegExp => new RegExp(`(?<![A-Za-z0-9])(?:${body})(?![A-Za-z0-9])`, 'g');

/** A capital and a digit ahead: hyphenated prose has none. */
const MIXED = '(?=[A-Za-z0-9_-]{0,250}[A-Z])(?=[A-Za-z0-9_-]{0,250}[0-9])';

/** Has a part between hyphens as only random keys have; names of things in `sk-learn-...` are shorter or without digits. */
const hasRandomRun = (credential: string): boolean =>
  credential.split('-').some((run) => run.length >= 20 && /[A-Z]/.test(run) && /[0-9]/.test(run));

const FORMATS: readonly Format[] = [
  { kind: 'AWS access key id', pattern: token('(?:AKIA|ASIA)[A-Z0-9]{16}') },
  { kind: 'AWS secret access key', pattern: /aws_?secret_?(?:access_?)?key["']?\s*[=:]\s*["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi },
  { kind: 'GitHub token', pattern: token('gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255}') },
  { kind: 'GitLab token', pattern: token('glpat-[A-Za-z0-9_-]{20,64}') },
  { kind: 'Slack token', pattern: token('xox[abeoprs]-[A-Za-z0-9-]{20,250}|xapp-\\d-[A-Za-z0-9-]{20,250}') },
  { kind: 'Slack webhook', pattern: token('https://hooks\\.slack\\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{20,}') },
  { kind: 'Stripe live key', pattern: token('(?:sk|rk)_live_[A-Za-z0-9]{20,250}') },
  { kind: 'Google API key', pattern: token('AIza[A-Za-z0-9_-]{35}') },
  { kind: 'Anthropic key', pattern: token(`sk-ant-${MIXED}[A-Za-z0-9_-]{24,250}`) },
  {
    kind: 'OpenAI key',
    pattern: token(`sk-(?!ant-)(?:proj-|svcacct-|admin-)?${MIXED}[A-Za-z0-9_-]{32,250}`),
    passes: hasRandomRun,
  },
  { kind: 'npm token', pattern: token('npm_[A-Za-z0-9]{36}') },
  { kind: 'PyPI token', pattern: token('pypi-AgE[A-Za-z0-9_-]{50,250}') },
  { kind: 'Hugging Face token', pattern: token('hf_[A-Za-z0-9]{34}') },
  { kind: 'SendGrid key', pattern: token('SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}') },
];

const PRIVATE_KEY = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/g;
const PRIVATE_KEY_END = /-----END [A-Z0-9 ]+-----/g;
/** A line of base64 as key files hold it. */
const KEY_LINE = /[A-Za-z0-9+/]{32,}/g;

const PLACEHOLDER = /example|x{4}|your|placeholder|dummy|redacted|changeme|insert|sample/i;
/** Bits per character that a random credential exceeds and a written-out placeholder does not. */
const MIN_ENTROPY = 3;
/** This many characters that count up (`abcdefgh`, `12345678`) are typed by hand. */
const COUNTING_RUN = 8;

/** Shannon entropy of a text's characters, in bits per character. */
const entropy = (text: string): number => {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => bits - (count / text.length) * Math.log2(count / text.length), 0);
};

const countsUp = (text: string): boolean => {
  let run = 1;
  for (let at = 1; at < text.length; at++) {
    run = text.charCodeAt(at) === text.charCodeAt(at - 1) + 1 ? run + 1 : 1;
    if (run >= COUNTING_RUN) return true;
  }
  return false;
};

const looksLive = (credential: string): boolean =>
  !PLACEHOLDER.test(credential) && !countsUp(credential) && entropy(credential.slice(-48)) >= MIN_ENTROPY;

const findTokens = (text: string): Secret[] =>
  FORMATS.flatMap(({ kind, pattern, passes = () => true }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const credential = match[1] ?? match[0];
      const index = match.index + match[0].indexOf(credential);
      return looksLive(credential) && passes(credential) ? [{ kind, index, length: credential.length }] : [];
    }),
  );

/** A private key counts when its body is there; a mention of the header line does not. Without an end it runs to its last line of base64. */
const findPrivateKeys = (text: string): Secret[] => {
  const begins = [...text.matchAll(PRIVATE_KEY)];
  const ends = [...text.matchAll(PRIVATE_KEY_END)];
  return begins.flatMap(({ 0: header, index }, at) => {
    const until = begins[at + 1]?.index ?? text.length;
    const end = ends.find((candidate) => candidate.index > index && candidate.index < until);
    const bodyAt = index + header.length;
    const lines = [...text.slice(bodyAt, end?.index ?? until).matchAll(KEY_LINE)];
    const last = lines.at(-1);
    if (!last || !lines.some(([line]) => looksLive(line))) return [];
    const stop = end ? end.index + end[0].length : bodyAt + last.index + last[0].length;
    return [{ kind: 'private key', index, length: stop - index }];
  });
};

const JWT = /(?<![A-Za-z0-9_-])(e[wy][A-Za-z0-9_-]{8,2000})\.[A-Za-z0-9_-]{2,8000}\.([A-Za-z0-9_-]{16,2000})(?![A-Za-z0-9_-])/g;

/** Of the sample tokens on jwt.io, which tutorials repeat. */
const SAMPLE_SIGNATURES: ReadonlySet<string> = new Set([
  'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
  'TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ',
]);

/** Three parts of which the first says by which algorithm the last was made. */
const findJwts = (text: string): Secret[] =>
  [...text.matchAll(JWT)].flatMap(({ 0: credential, 1: header = '', 2: signature = '', index }) =>
    namesAlgorithm(header) && !SAMPLE_SIGNATURES.has(signature) && looksLive(signature)
      ? [{ kind: 'JSON web token', index, length: credential.length }]
      : [],
  );

const namesAlgorithm = (header: string): boolean => {
  try {
    const { alg } = JSON.parse(atob(header.replaceAll('-', '+').replaceAll('_', '/'))) as { readonly alg?: unknown };
    return typeof alg === 'string';
  } catch {
    return false;
  }
};

const URL_WITH_PASSWORD = /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/([^\s:/@?#'"`]{0,200}):([^\s/@'"`]{1,200})@(?=[^\s'"`])/g;
/** What documentation writes in the place of a password; the user's own name, compared below, and `guest` are defaults known to all. */
const NO_PASSWORD = /^(?:guest|passw(?:or)?d|passphrase|pass|pwd|pw|x+|\*+|\.+|[_-]+|<.*|\$.*|%.*|\{.*|\[.*|\(.*)$/i;

const findUrlPasswords = (text: string): Secret[] =>
  [...text.matchAll(URL_WITH_PASSWORD)].flatMap(({ 0: url, 1: user = '', 2: password = '', index }) => {
    if (password.toLowerCase() === user.toLowerCase() || NO_PASSWORD.test(password) || PLACEHOLDER.test(password)) return [];
    return [{ kind: 'password in a URL', index: index + url.length - 1 - password.length, length: password.length }];
  });

/** Characters that nobody sees in a token, such as a zero-width space: a credential is one with them in it, too. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u{FFF9}-\u{FFFB}]/u;
/** A no-break space parts two words, or is as good as unseen in one: both are tried. */
const UNSEEN_OR_NBSP = /[\p{Default_Ignorable_Code_Point}\u{FFF9}-\u{FFFB}\u{A0}]/u;

/**
 * The same in the text as it reads, at the places of the text itself: each character in its plain form (NFKC: full-width or
 * mathematical letters become those of ASCII), without those that `left` names.
 */
const findAsRead = (text: string, left?: RegExp): readonly Secret[] => {
  const starts: number[] = [];
  const ends: number[] = [];
  let read = '';
  let at = 0;
  for (const character of text) {
    const end = at + character.length;
    const plain = left?.test(character) ? '' : character.normalize('NFKC');
    for (let unit = 0; unit < plain.length; unit++) {
      starts.push(at);
      ends.push(end);
    }
    read += plain;
    at = end;
  }
  return findIn(read).flatMap(({ kind, index, length }) => {
    const [first, last] = [starts[index], ends[index + length - 1]];
    return first === undefined || last === undefined ? [] : [{ kind, index: first, length: last - first }];
  });
};

const findIn = (text: string): Secret[] => [...findPrivateKeys(text), ...findTokens(text), ...findJwts(text), ...findUrlPasswords(text)];

/**
 * Well-known live credentials in a text, in order, not overlapping; unseen characters or other forms of letters in one do not hide it. Placeholders
 * (documentation examples, `xxxx`, counted-up letters) and texts of low entropy do not count. Neither the kind nor the position
 * gives the credential away.
 */
export const findSecrets = (text: string): readonly Secret[] => {
  const asRead = [
    ...(text.normalize('NFKC') === text ? [] : findAsRead(text)),
    ...(UNSEEN.test(text) ? findAsRead(text, UNSEEN) : []),
    ...(text.includes('\u00a0') ? findAsRead(text, UNSEEN_OR_NBSP) : []),
  ];
  const found = [...findIn(text), ...asRead].sort((a, b) => a.index - b.index || b.length - a.length);
  let end = 0;
  return found.filter(({ index, length }) => {
    if (index < end) return false;
    end = index + length;
    return true;
  });
};
