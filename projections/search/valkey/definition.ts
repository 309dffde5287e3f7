import type { IndexField, IndexInfo } from './info.js';

/** An HNSW index over the hashes of one prefix, by cosine, with the fields that filters use. */
export type IndexDefinition = {
  readonly name: string;
  /** No key may have the prefixes of two indexes: a write is answered when the first of them has it. */
  readonly prefix: string;
  readonly dimension: number;
  readonly m: number;
  readonly efConstruction: number;
  /** Absent: the module's 10, which finds nine of ten. */
  readonly efRuntime?: number;
  readonly fields: readonly IndexField[];
};

export const VECTOR_FIELD = 'vector';

/** The arguments of FT.CREATE, the command's name included. The order of the parts is fixed, and so is the number of attributes. */
export const createArguments = ({ name, prefix, dimension, m, efConstruction, efRuntime, fields }: IndexDefinition): string[] => {
  const attributes = ['TYPE', 'FLOAT32', 'DIM', dimension, 'DISTANCE_METRIC', 'COSINE', 'M', m, 'EF_CONSTRUCTION', efConstruction];
  if (efRuntime !== undefined) attributes.push('EF_RUNTIME', efRuntime);
  return [
    ...['FT.CREATE', name, 'ON', 'HASH', 'PREFIX', '1', prefix, 'SCHEMA'],
    ...[VECTOR_FIELD, 'VECTOR', 'HNSW', attributes.length, ...attributes].map(String),
    ...fields.flatMap(({ name, type, caseSensitive }) => [name, type, ...(caseSensitive ? ['CASESENSITIVE'] : [])]),
  ];
};

/**
 * The first thing in which an index is not the one wanted; undefined when it is. FT.CREATE itself never compares. What a
 * version of the module does not tell of the graph is taken for right: else each start would make the index anew.
 */
export const driftOf = (wanted: IndexDefinition, { prefixes, vector, fields }: IndexInfo): string | undefined => {
  const { algorithm = 'HNSW', metric = 'COSINE', type = 'FLOAT32' } = vector ?? {};
  const { dimension = wanted.dimension, m = wanted.m, efConstruction = wanted.efConstruction } = vector ?? {};
  const found: [what: string, is: unknown, wanted: unknown][] = [
    ['prefix', prefixes.join(' '), wanted.prefix],
    ['vector field', vector?.name, VECTOR_FIELD],
    ['algorithm', algorithm, 'HNSW'],
    ['metric', metric, 'COSINE'],
    ['type', type, 'FLOAT32'],
    ['dimension', dimension, wanted.dimension],
    ['M', m, wanted.m],
    ['EF_CONSTRUCTION', efConstruction, wanted.efConstruction],
    ['fields', fields.map(spelt).sort().join(', '), wanted.fields.map(spelt).sort().join(', ')],
  ];
  const [what, is, should] = found.find(([, is, should]) => is !== should) ?? [];
  return what && `its ${what} was ${String(is ?? 'absent')}, not ${String(should)}`;
};

const spelt = ({ name, type, caseSensitive, separator, alias }: IndexField): string =>
  [
    name,
    ...(alias ? ['AS', alias] : []),
    type,
    ...(caseSensitive ? ['CASESENSITIVE'] : []),
    ...(separator ? ['SEPARATOR', separator] : []),
  ].join(' ');
