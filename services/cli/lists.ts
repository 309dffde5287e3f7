/** What an answer shows of a list, and how many entries there are. */
export type Listed<Item> = { readonly items: readonly Item[]; readonly total: number };

type ItemOf<Value> = NonNullable<Value> extends readonly (infer Item)[] ? Item : never;
type Cut = { readonly count?: number; readonly lists?: Readonly<Record<string, { readonly total: number }>> };

/**
 * A list of a tool's answer. An answer that is too long is sent with shorter lists, or without them, and says in `cut` how many
 * entries there were: of each list in `lists`; of the one that gives way first (`first`), how many are missing in `count`.
 */
export const listIn = <Answer extends object, Name extends keyof Answer & string>(
  answer: Answer,
  name: Name,
  first = false,
): Listed<ItemOf<Answer[Name]>> => {
  const value: unknown = answer[name];
  const items = (Array.isArray(value) ? value : []) as readonly ItemOf<Answer[Name]>[];
  const { count = 0, lists = {} } = ((answer as { readonly cut?: Cut }).cut ?? {}) as Cut;
  return { items, total: (lists[name]?.total ?? items.length) + (first ? count : 0) };
};

/** A title, at most `most` entries a line each, and how many more there are; nothing of an empty list. */
export const sayList = <Item>(
  title: string,
  { items, total }: Listed<Item>,
  line: (item: Item) => string,
  { most, indent = '  ' }: { readonly most: number; readonly indent?: string },
): readonly string[] => {
  if (total === 0) return [];
  const shown = items.slice(0, most);
  const more = total - shown.length;
  return [title, ...shown.map((item) => `${indent}${line(item)}`), ...(more > 0 ? [`${indent}and ${more} more`] : [])];
};
