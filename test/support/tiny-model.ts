import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ModelManifest } from '../../services/embedding/manifest.js';

/**
 * A small but real model: a WordPiece tokenizer and an ONNX graph of one Gather, so that the whole path (tokenise, window,
 * run, pool) works without any download. Words of one line mean the same; letters spell every other Latin word.
 */
const SYNONYMS = `database db postgres sql
crash crashed outage down failure failed
fix fixed repair repaired patch
fast quick rapid speed latency
deploy deployed release released ship shipped
login auth authentication signin password
test tests spec suite
cat kitten feline
car vehicle truck
queue backlog`
  .split('\n')
  .map((line) => line.split(' '));

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789.'];
const WORDS = [...SPECIAL, ...SYNONYMS.flat(), ...LETTERS, ...LETTERS.map((letter) => `##${letter}`)];

/** Numbers in -0.5..0.5 that depend on the seed only. */
const numbersOf = (seed: string, count: number): number[] => {
  let state = createHash('sha256').update(seed).digest().readUInt32LE();
  return Array.from({ length: count }, () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822507) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 13), 3266489909);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32 - 0.5;
  });
};

const vectorOf = (word: string, dimension: number): number[] => {
  if (word === '[PAD]' || word === '[SEP]') return new Array<number>(dimension).fill(0);
  const own = numbersOf(`word:${word}`, dimension);
  const group = SYNONYMS.find((words) => words.includes(word))?.[0];
  if (group === undefined) return own.map((x) => x * (SPECIAL.includes(word) ? 0.02 : 0.3));
  return numbersOf(`group:${group}`, dimension).map((x, i) => x + 0.35 * (own[i] ?? 0));
};

// Protocol buffers by hand: a varint, a number field, a bytes field, and the six ONNX messages that the graph needs. The
// field numbers are those of onnx.proto3.
const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
};
const number = (field: number, value: number) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field: number, value: Buffer | string) => {
  const content = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
};
const message = (...parts: Buffer[]) => Buffer.concat(parts);

const FLOAT = 1;
const INT64 = 7;
const tensor = (name: string, dims: number[], values: Float32Array) =>
  message(...dims.map((size) => number(1, size)), number(2, FLOAT), bytes(8, name), bytes(9, Buffer.from(values.buffer)));
const shape = (dims: (number | string)[]) =>
  message(...dims.map((size) => bytes(1, typeof size === 'number' ? number(1, size) : bytes(2, size))));
const valueInfo = (name: string, type: number, dims: (number | string)[]) =>
  message(bytes(1, name), bytes(2, bytes(1, message(number(1, type), bytes(2, shape(dims))))));

const graphOf = (dimension: number, zero: boolean): Buffer => {
  const table = Float32Array.from(WORDS.flatMap((word) => vectorOf(word, dimension)));
  if (zero) table.fill(0);
  const gather = message(bytes(1, 'table'), bytes(1, 'input_ids'), bytes(2, 'last_hidden_state'), bytes(3, 'gather'), bytes(4, 'Gather'));
  const graph = message(
    bytes(1, gather),
    bytes(2, 'tiny'),
    bytes(5, tensor('table', [WORDS.length, dimension], table)),
    ...['input_ids', 'attention_mask', 'token_type_ids'].map((name) => bytes(11, valueInfo(name, INT64, ['batch', 'tokens']))),
    bytes(12, valueInfo('last_hidden_state', FLOAT, ['batch', 'tokens', dimension])),
  );
  return message(number(1, 8), bytes(2, 'tiny'), bytes(7, graph), bytes(8, message(bytes(1, ''), number(2, 14))));
};

const special = (content: string, id: number) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
});

const tokenizerOf = (): Buffer => {
  const tokens = (content: string, id: number) => ({ [content]: { id: content, ids: [id], tokens: [content] } });
  const json = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map(special),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
      ],
      pair: [],
      special_tokens: { ...tokens('[CLS]', 2), ...tokens('[SEP]', 3) },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
    },
  };
  return Buffer.from(JSON.stringify(json));
};

export type TinyModel = { readonly manifest: ModelManifest; readonly files: ReadonlyMap<string, Buffer> };

/** The model's bytes and the manifest that pins them. `zero` gives a graph whose every token vector is zero. */
export const tinyModel = ({ dimension = 64, zero = false } = {}): TinyModel => {
  const pin = (path: string, content: Buffer) => ({
    path,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    jarEntry: `jar-${path}`,
  });
  const graph = graphOf(dimension, zero);
  const tokenizer = tokenizerOf();
  const manifest: ModelManifest = {
    shortName: 'tiny',
    name: 'tiny',
    dtype: 'fp32',
    dimension,
    pooling: 'mean',
    windowTokens: 64,
    overlapTokens: 8,
    batch: { windows: 8, tokens: 512 },
    thresholds: {
      duplicate: 0.92,
      contradiction: 0.7,
      cluster: 0.8,
      knowledgeWatch: 0.35,
      skillSuggest: 0.3,
      domainSuggest: 0.6,
      recallFloor: 0.36,
    },
    hub: { model: 'test/tiny', revision: 'abc123' },
    jar: { group: 'test', artifact: 'tiny', versions: ['1'] },
    graph: pin('onnx/model.onnx', graph),
    tokenizer: pin('tokenizer.json', tokenizer),
    written: { 'config.json': { model_type: 'bert' } },
  };
  return {
    manifest,
    files: new Map([
      [manifest.tokenizer.path, tokenizer],
      [manifest.graph.path, graph],
    ]),
  };
};

/** Writes the model's files below `dir`, in the layout of the hub. */
export const writeTinyModel = async (dir: string, { files }: TinyModel): Promise<void> => {
  for (const [path, content] of files) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), content);
  }
};
