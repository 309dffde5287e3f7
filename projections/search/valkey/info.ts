export type IndexField = { readonly name: string; readonly type: 'TAG' | 'NUMERIC'; readonly caseSensitive?: boolean };

/** What FT.INFO tells and we use. `num_docs` is not among it: it counts hashes that no search can find. */
export type IndexInfo = {
  readonly prefixes: readonly string[];
  readonly vector:
    | {
        readonly name: string;
        readonly algorithm: string;
        readonly type: string;
        readonly metric: string;
        readonly dimension: number;
        readonly m: number;
        readonly efConstruction: number;
      }
    | undefined;
  readonly fields: readonly IndexField[];
  /** `ready`, `backfill_in_progress`, `backfill_paused_by_oom`. */
  readonly state: string;
  /** 0 to 1; already 1 while the state is not yet `ready`. */
  readonly backfilled: number;
  /** Writes of a vector of another size since the index was made: those documents are not found. */
  readonly failures: number;
};

/** Reads a reply of FT.INFO. Names come in no fixed order, and numbers as integers or text. */
export const parseInfo = (reply: unknown): IndexInfo => {
  const info = pairs(reply);
  const attributes = list(info.get('attributes')).map(pairs);
  const vector = attributes.find((attribute) => attribute.get('type') === 'VECTOR');
  return {
    prefixes: list(pairs(info.get('index_definition')).get('prefixes')).map(String),
    vector: vector && vectorOf(vector),
    fields: attributes.flatMap(fieldOf),
    state: String(info.get('state') ?? ''),
    backfilled: Number(info.get('backfill_complete_percent') ?? 0),
    failures: Number(info.get('hash_indexing_failures') ?? 0),
  };
};

const vectorOf = (attribute: ReadonlyMap<string, unknown>) => {
  const index = pairs(attribute.get('index'));
  const algorithm = pairs(index.get('algorithm'));
  return {
    name: String(attribute.get('identifier')),
    algorithm: String(algorithm.get('name')),
    type: String(index.get('data_type')),
    metric: String(index.get('distance_metric')),
    dimension: Number(index.get('dimensions')),
    m: Number(algorithm.get('m')),
    efConstruction: Number(algorithm.get('ef_construction')),
  };
};

const fieldOf = (attribute: ReadonlyMap<string, unknown>): IndexField[] => {
  const name = String(attribute.get('identifier'));
  const type = attribute.get('type');
  if (type === 'NUMERIC') return [{ name, type }];
  return type === 'TAG' ? [{ name, type, ...(isOn(attribute.get('CASESENSITIVE')) && { caseSensitive: true }) }] : [];
};

const isOn = (value: unknown): boolean => !['0', 'no', 'false', ''].includes(String(value ?? '').toLowerCase());

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const pairs = (value: unknown): ReadonlyMap<string, unknown> => {
  const items = list(value);
  return new Map(items.flatMap((name, i) => (i % 2 === 0 ? [[String(name), items[i + 1]] as const] : [])));
};
