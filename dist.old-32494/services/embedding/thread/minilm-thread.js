import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { windowSpans } from '../windows.js';
import { serve } from './serve.js';
class Altered extends Error {
}
const intact = async (dir, { path, sha256 }) => {
    const bytes = await readFile(join(dir, path));
    if (createHash('sha256').update(bytes).digest('hex') !== sha256)
        throw new Altered(`${path} in ${dir} is not the file that was fetched`);
    return bytes;
};
const SENTENCE_END = new Set(['.', '!', '?', '。', '！', '？']);
const cutQuality = (tokens) => (i) => {
    if (tokens[i]?.startsWith('##'))
        return 0;
    return SENTENCE_END.has(tokens[i - 1] ?? '') ? 2 : 1;
};
/** Sums the token vectors that the mask counts and brings the sum to length 1; the mean has the same direction. Source: Reimers and Gurevych 2019, section 3. */
const pooled = (hidden, row, padded, tokens, dimension) => {
    const vector = new Float32Array(dimension);
    for (let t = 0; t < tokens; t++) {
        const at = (row * padded + t) * dimension;
        for (let d = 0; d < dimension; d++)
            vector[d] = (vector[d] ?? 0) + (hidden[at + d] ?? 0);
    }
    let squares = 0;
    for (const x of vector)
        squares += x * x;
    const norm = Math.sqrt(squares);
    return vector.map((x) => x / norm);
};
const inputs = (windows, padded) => {
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
const openEncoder = async (data) => {
    const [graph, tokenizerJson] = await Promise.all([intact(data.dir, data.graph), intact(data.dir, data.tokenizer)]);
    const opening = InferenceSession.create(graph, { intraOpNumThreads: data.threads, interOpNumThreads: 1 });
    const tokenizer = new Tokenizer(JSON.parse(tokenizerJson.toString('utf8')), {});
    const session = await opening;
    const [first, last] = tokenizer.encode('').ids;
    const { dimension, windowTokens, overlapTokens } = data;
    if (first === undefined || last === undefined)
        throw new Error('the tokenizer does not put [CLS] and [SEP] around a text');
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
const run = async (port, data) => {
    const started = performance.now();
    const answer = (reply) => port.postMessage(reply);
    try {
        serve(port, await openEncoder(data));
        answer({ kind: 'ready', loadMs: Math.round(performance.now() - started) });
    }
    catch (error) {
        answer({ kind: 'unusable', reason: error instanceof Error ? error.message : String(error), altered: error instanceof Altered });
    }
};
if (parentPort !== null)
    await run(parentPort, workerData);
//# sourceMappingURL=minilm-thread.js.map