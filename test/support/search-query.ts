/**
 * The filter language of valkey-search as it was recorded, for the emulation in `search-engine.ts`. `old` are the TAG rules
 * of 1.0.0 to 1.0.2 and 1.1.0: no escapes, and alternatives in braces split at the field's separator.
 */
export type TagRules = 'old' | 'new';
export type Field = { readonly type: 'TAG' | 'NUMERIC' | 'VECTOR'; readonly separator: string; readonly caseSensitive: boolean };
export type Schema = ReadonlyMap<string, Field>;
export type Matches = (hash: ReadonlyMap<string, Buffer>) => boolean;

const MIN_PREFIX = 2;

/** Throws an Error with the module's kind of message. */
export const parseFilter = (text: string, schema: Schema, rules: TagRules): Matches => new FilterParser(text, schema, rules).parse();

class FilterParser {
  #text: string;
  #schema: Schema;
  #rules: TagRules;
  #at = 0;

  constructor(text: string, schema: Schema, rules: TagRules) {
    this.#text = text;
    this.#schema = schema;
    this.#rules = rules;
  }

  parse(): Matches {
    if (/^\s*\(?\*?\)?\s*$/.test(this.#text)) return () => true;
    const matches = this.#any();
    this.#blanks();
    if (this.#at < this.#text.length) throw this.#fault(`Unexpected character at position ${this.#at + 1}: \`${this.#text[this.#at]}\``);
    return matches;
  }

  #any(): Matches {
    const alternatives = [this.#all()];
    while (this.#take('|')) alternatives.push(this.#all());
    return (hash) => alternatives.some((matches) => matches(hash));
  }

  #all(): Matches {
    const parts = [this.#one()];
    for (this.#blanks(); this.#at < this.#text.length && !/[|)]/.test(this.#text[this.#at] ?? ''); this.#blanks()) parts.push(this.#one());
    return (hash) => parts.every((matches) => matches(hash));
  }

  #one(): Matches {
    if (this.#take('-')) {
      if (!/^\s*[@(]/.test(this.#text.slice(this.#at))) throw this.#fault('Index does not have any text field');
      const negated = this.#one();
      return (hash) => !negated(hash);
    }
    if (this.#take('(')) {
      const inner = this.#any();
      if (!this.#take(')')) throw this.#fault(`Expected ')' after expression got ''. Position: ${this.#at}`);
      return inner;
    }
    const clause = /^@([^\s:{}[\]()]+)\s*:\s*([{[])/.exec(this.#text.slice(this.#at));
    if (!clause) throw this.#fault('Index does not have any text field');
    this.#at += clause[0].length;
    const name = clause[1] ?? '';
    return clause[2] === '{' ? this.#tag(name) : this.#range(name);
  }

  #tag(name: string): Matches {
    const field = this.#schema.get(name);
    if (field?.type !== 'TAG') throw this.#fault(`\`${name}\` is not indexed as a tag field`);
    const end = this.#endOfTag();
    const body = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    const values = (this.#rules === 'old' ? body.split(field.separator) : split(body, '|')).map((value) => value.trim()).filter(Boolean);
    const wanted = values.map((value) => this.#value(value, field));
    return (hash) => tagsOf(hash.get(name), field).some((tag) => wanted.some((wants) => wants(tag)));
  }

  #value(raw: string, field: Field): (tag: string) => boolean {
    const folded = field.caseSensitive ? raw : lower(raw);
    const value = this.#rules === 'old' ? folded : folded.replace(/\\(.)/gs, '$1');
    if (!raw.endsWith('*')) return (tag) => tag === value;
    if (raw.endsWith('**')) throw this.#fault('Multiple wildcards');
    const prefix = value.slice(0, -1);
    if (prefix.length < MIN_PREFIX) throw this.#fault(`Tag string \`${raw}\` is too short for prefix wildcard.`);
    return (tag) => tag.startsWith(prefix);
  }

  #endOfTag(): number {
    for (let i = this.#at; i < this.#text.length; i++) {
      if (this.#text[i] === '\\' && this.#rules === 'new') i++;
      else if (this.#text[i] === '}') return i;
    }
    throw this.#fault("Missing closing TAG bracket, '}'");
  }

  #range(name: string): Matches {
    if (this.#schema.get(name)?.type !== 'NUMERIC') throw this.#fault(`\`${name}\` is not indexed as a numeric field`);
    const bounds = /^\s*(\(?)([^\s,\]]+)[\s,]+(\(?)([^\s,\]]+)\s*\]/.exec(this.#text.slice(this.#at));
    const [all = '', openFrom, from = '', openTo, to = ''] = bounds ?? [];
    const [low, high] = [numberOf(from), numberOf(to)];
    if (!bounds || low === undefined || high === undefined) throw this.#fault('Invalid number: ');
    if (low > high) throw this.#fault('Start and end values of a numeric field indicate an empty range.');
    this.#at += all.length;
    return (hash) => {
      const value = storedNumber(hash.get(name));
      return value !== undefined && (openFrom ? value > low : value >= low) && (openTo ? value < high : value <= high);
    };
  }

  #blanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  #take(character: string): boolean {
    this.#blanks();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #fault(what: string): Error {
    return new Error(`Invalid filter expression: \`${this.#text}\`. ${what}`);
  }
}

/** The tags that a hash field holds, as they are indexed. */
const tagsOf = (value: Buffer | undefined, { separator, caseSensitive }: Field): string[] =>
  (value?.toString() ?? '')
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean)
    .map((tag) => (caseSensitive ? tag : lower(tag)));

const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const split = (text: string, at: string): string[] => {
  const parts: string[] = [];
  let part = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] === at) {
      parts.push(part);
      part = '';
    } else if (text[i] === '\\' && i + 1 < text.length) part += text.slice(i, ++i + 1);
    else part += text[i];
  }
  return [...parts, part];
};

const numberOf = (text: string): number | undefined => {
  if (/^[+]?inf$/.test(text)) return Number.POSITIVE_INFINITY;
  if (text === '-inf') return Number.NEGATIVE_INFINITY;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
};

/** What the index makes of a stored number: undefined for what it silently leaves out. */
const storedNumber = (value: Buffer | undefined): number | undefined => {
  const text = value?.toString().trim() ?? '';
  return /^0x[\da-f]+$/i.test(text) ? Number(text) : numberOf(text);
};
