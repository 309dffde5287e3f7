const FENCED = /^```[a-z]*\s*\n?([\s\S]*?)\n?```$/i;

/**
 * The JSON of an answer: the whole of it, or what stands in a code fence, or between the first bracket and the last of its
 * kind when a model talks around it. Undefined when there is none.
 */
export const jsonIn = (answer: string): unknown => {
  const text = answer.trim();
  for (const candidate of [text, FENCED.exec(text)?.[1], between(text)]) {
    if (candidate === undefined) continue;
    try {
      return JSON.parse(candidate);
    } catch {
      // The next reading may be JSON.
    }
  }
  return undefined;
};

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}' };

const between = (text: string): string | undefined => {
  const begin = text.search(/[[{]/);
  const end = text.lastIndexOf(CLOSING[text.charAt(begin)] ?? '\0');
  return begin < 0 || end < begin ? undefined : text.slice(begin, end + 1);
};
