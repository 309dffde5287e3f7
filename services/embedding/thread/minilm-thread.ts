import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { type CutQuality, windowSpans } from '../windows.js';
import type { Reply, WindowEncoder } from './protocol.js';
import { serve } from './serve.js';

/** What the thread is started with. */
export type MiniLmThreadData = {
  readonly dir: string;
  readonly graph: { readonly path: string; readonly sha256: string };
  readonly tokenizer: { readonly path: string; readonly sha256: string };
  readonly dimension: number;
  /** Tokens of a window, the two special ones included. */
  readonly windowTokens: number;
  readonly overlapTokens: number;
  readonly batch: { readonly windows: number; readonly tokens: number };
  readonly threads: number;
};

class Altered extends Error {}

const intact = async (dir: string, { path, sha256 }: { path: string; sha256: string }): Promise<Buffer> => {
  const bytes = await readFile(join(dir, path));
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Altered(`${path} in ${dir} is not the file that was fetched`);
  return bytes;
};

const SENTENCE_END = new Set(['.', '!', '?', '。', '！', '？']);
const cutQuality =
  (tokens: readonly string[]): CutQuality =>
  (i) => {
    if (tokens[i]?.startsWith('##')) return 0;
    return SENTENCE_END.has(tokens[i - 1] ?? '') ? 2 : 1;
  };

/** Sums the token vectors that the mask counts and brings the sum to length 1; the mean has the same direction. Source: Reimers and Gurevych 2019, section 3. */
const pooled = (hidden: Float32Array, row: number, padded: number, tokens: number, dimension: number): Float32Array => {
  const vector = new Float32Array(dimension);
  for (let t = 0; t < tokens; t++) {
    const at = (row * padded + t) * dimension;
    for (let d = 0; d < dimension; d++) vector[d] = (vector[d] ?? 0) + (hidden[at + d] ?? 0);
  }
  let squares = 0;
  for (const x of vector) squares += x * x;
  const norm = Math.sqrt(squares);
  return vector.map((x) => x / norm);
};

const inputs = (windows: readonly (readonly number[])[], padded: number): Record<string, Tensor> => {
  const shape = [windows.length, padded];
  const ids = new BigInt64Array(windows.length * padded);
  const mask = new BigInt64Array(windows.length * padded);
  windows.forEach((window, row) => {
    window.forEach((id, t) => {
      ids[row * padded + t] = BigInt(id);
      mask[row * padded + t] = 1n;
    });
  });
  return {
    input_ids: new Tensor('int64', ids, shape),
    attention_mask: new Tensor('int64', mask, shape),
    token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
  };
};

const openEncoder = async (data: MiniLmThreadData): Promise<WindowEncoder<readonly number[]>> => {
  const [graph, tokenizerJson] = await Promise.all([intact(data.dir, data.graph), intact(data.dir, data.tokenizer)]);
  const opening = InferenceSession.create(graph, { intraOpNumThreads: data.threads, interOpNumThreads: 1 });
  const tokenizer = new Tokenizer(JSON.parse(tokenizerJson.toString('utf8')), {});
  const session = await opening;
  const [first, last] = tokenizer.encode('').ids;
  const { dimension, windowTokens, overlapTokens } = data;
  if (first === undefined || last === undefined) throw new Error('the tokenizer does not put [CLS] and [SEP] around a text');

  return {
    dimension,
    batch: data.batch,
    tokens: (window) => window.length,
    split: (text) => {
      const { ids, tokens } = tokenizer.encode(text, { add_special_tokens: false });
      const spans = windowSpans(ids.length, { size: windowTokens - 2, overlap: overlapTokens }, cutQuality(tokens));
      return spans.map(({ start, end }) => [first, ...ids.slice(start, end), last]);
    },
    encode: async (windows) => {
      const padded = Math.max(...windows.map((window) => window.length));
      const { last_hidden_state: hidden } = await session.run(inputs(windows, padded));
      if (!(hidden?.data instanceof Float32Array) || hidden.dims[2] !== dimension) {
        throw new Error(`the graph gives no last_hidden_state of ${dimension} numbers a token`);
      }
      const { data: numbers } = hidden;
      return windows.map((window, row) => pooled(numbers, row, padded, window.length, dimension));
    },
  };
};

const run = async (port: MessagePort, data: MiniLmThreadData) => {
  const started = performance.now();
  const answer = (reply: Reply) => port.postMessage(reply);
  try {
    serve(port, await openEncoder(data));
    answer({ kind: 'ready', loadMs: Math.round(performance.now() - started) });
  } catch (error) {
    answer({ kind: 'unusable', reason: error instanceof Error ? error.message : String(error), altered: error instanceof Altered });
  }
};

if (parentPort !== null) await run(parentPort, workerData as MiniLmThreadData);
