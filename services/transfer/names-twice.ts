/** A name that an object of a JSON text has more than once: where, from the outermost name on, and the text of the value that the later one replaced. */
export type Twice = { readonly path: readonly string[]; readonly earlier: string };

type Open = {
  readonly names: Map<string, readonly [from: number, to: number]> | undefined;
  name: string | undefined;
  valueAt: number;
  readonly isObject: boolean;
};

const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [123, 125, 91, 93];

/**
 * The names that stand twice in one object, down to `deepest` objects (1: the outermost), in the order of the text. A JSON parser takes
 * the last and drops the others without a word. `text` must be JSON.
 */
export const namesTwice = (text: string, deepest: number): readonly Twice[] => {
  const found: Twice[] = [];
  const open: Open[] = [];
  const close = (at: number): void => {
    const here = open.at(-1);
    if (!here?.isObject || here.name === undefined) return;
    const earlier = here.names?.get(here.name);
    if (earlier !== undefined) found.push({ path: open.flatMap(({ name }) => name ?? []), earlier: text.slice(...earlier) });
    here.names?.set(here.name, [here.valueAt, at]);
    here.name = undefined;
  };
  for (let at = 0; at < text.length; at++) {
    const here = open.at(-1);
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfText(text, at);
        if (here?.isObject && here.names && here.name === undefined) here.name = JSON.parse(text.slice(at, end + 1)) as string;
        at = end;
        break;
      }
      case COLON:
        if (here) here.valueAt = at + 1;
        break;
      case COMMA:
        close(at);
        break;
      case OPEN_OBJECT:
      case OPEN_LIST: {
        const isObject = text.charCodeAt(at) === OPEN_OBJECT;
        open.push({ isObject, names: isObject && open.length < deepest ? new Map() : undefined, name: undefined, valueAt: at });
        break;
      }
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        close(at);
        open.pop();
        break;
    }
  }
  return found;
};

/** Where the quote is that closes the text that begins at `at`. */
const endOfText = (text: string, at: number): number => {
  for (let end = text.indexOf('"', at + 1); ; end = text.indexOf('"', end + 1)) {
    if (end < 0) return text.length;
    let marks = 0;
    while (text.charCodeAt(end - 1 - marks) === BACKSLASH) marks++;
    if (marks % 2 === 0) return end;
  }
};
