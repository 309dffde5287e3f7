/** Absent means as by default: values in any case, several of them apart by commas, asked for by the field's own name. */
export type IndexField = {
  readonly name: string;
  readonly type: 'TAG' | 'NUMERIC';
  readonly caseSensitive?: boolean;
  readonly separator?: string;
  readonly alias?: string;
};

/** What FT.INFO tells and we use. */
export type IndexInfo = {
  /** Hashes under the prefix, also those that no search can find; on replicas and after a FLUSHALL it goes wrong. */
  readonly hashes: number;
  readonly prefixes: readonly string[];
  readonly vector:
    | {
        readonly name: string;
        /** Each of these undefined where this version of the module does not tell it. */
        readonly algorithm: string | undefined;
        readonly type: string | undefined;
        readonly metric: string | undefined;
        readonly dimension: number | undefined;
        readonly m: number | undefined;
        readonly efConstruction: number | undefined;
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

/**
 * Reads a reply of FT.INFO. Names come in no fixed order, and numbers as integers or text. 1.0 and 1.2.1 nest what they say
 * of a vector field, 1.1 says it flat and under other names; nobody promises which of them the next version does.
 */
export const parseInfo = (reply: unknown): IndexInfo => {
  const info = pairs(reply);
  const attributes = list(info.get('attributes')).map(pairs);
  const vector = attributes.find((attribute) => attribute.get('type') === 'VECTOR');
  return {
    hashes: Number(info.get('num_docs') ?? Number.NaN),
    prefixes: list(pairs(info.get('index_definition')).get('prefixes')).map(String),
    vector: vector && vectorOf(vector),
    fields: attributes.flatMap(fieldOf),
    state: stateOf(info),
    backfilled: Number(info.get('backfill_complete_percent') ?? 0),
    failures: Number(info.get('hash_indexing_failures') ?? 0),
  };
};

/** An index that does not name its state is ready when it is not being filled. */
const stateOf = (info: ReadonlyMap<string, unknown>): string => {
  const state = info.get('state');
  if (state !== undefined) return String(state);
  return isOn(info.get('backfill_in_progress')) ? 'backfill_in_progress' : 'ready';
};

const vectorOf = (attribute: ReadonlyMap<string, unknown>) => {
  const nested = attribute.get('index');
  const index = nested === undefined ? attribute : pairs(nested);
  const algorithm = index.get('algorithm');
  const graph = Array.isArray(algorithm) ? pairs(algorithm) : index;
  return {
    name: String(attribute.get('attribute') ?? attribute.get('identifier')),
    algorithm: word(Array.isArray(algorithm) ? graph.get('name') : algorithm),
    type: word(index.get('data_type')),
    metric: word(index.get('distance_metric')),
    dimension: count(index.get('dimensions') ?? index.get('dim')),
    m: count(graph.get('m') ?? graph.get('M')),
    efConstruction: count(graph.get('ef_construction')),
  };
};

const word = (value: unknown): string | undefined => (value === undefined ? undefined : String(value).toUpperCase());

const count = (value: unknown): number | undefined => (Number.isFinite(Number(value ?? Number.NaN)) ? Number(value) : undefined);

const fieldOf = (attribute: ReadonlyMap<string, unknown>): IndexField[] => {
  const name = String(attribute.get('identifier'));
  const type = attribute.get('type');
  if (type !== 'NUMERIC' && type !== 'TAG') return [];
  const [alias, separator] = [String(attribute.get('attribute') ?? name), String(attribute.get('SEPARATOR') || ',')];
  const field = { name, type, ...(alias !== name && { alias }) } as const;
  if (type === 'NUMERIC') return [field];
  return [{ ...field, ...(isOn(attribute.get('CASESENSITIVE')) && { caseSensitive: true }), ...(separator !== ',' && { separator }) }];
};

const isOn = (value: unknown): boolean => !['0', 'no', 'false', ''].includes(String(value ?? '').toLowerCase());

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const pairs = (value: unknown): ReadonlyMap<string, unknown> => {
  const items = list(value);
  return new Map(items.flatMap((name, i) => (i % 2 === 0 ? [[String(name), items[i + 1]] as const] : [])));
};
