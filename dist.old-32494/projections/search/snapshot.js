import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DomainError } from '../../domain/errors.js';
import { BinaryReader, BinaryWriter } from './binary.js';
import { InMemoryLexicalIndex } from './lexical.js';
import { describeFile, readChecked, writeParts } from './snapshot-files.js';
import { InProcessVectorIndex } from './vectors.js';
/** Raised when the files mean something else than before. */
const FORMAT = 1;
const MANIFEST = 'manifest.json';
const fileEntry = z.strictObject({ name: z.string().regex(/^[a-z]+-[0-9a-f]+\.bin$/), bytes: z.int().nonnegative(), sha256: z.string() });
const manifestSchema = z.object({
    format: z.literal(FORMAT),
    model: z.string(),
    position: z.unknown(),
    vectors: fileEntry,
    words: fileEntry,
    graph: fileEntry.optional(),
});
/**
 * Writes both indexes to a directory of their own. The manifest is renamed into place last, so that at any moment the
 * directory holds the old snapshot or the new one. `position` (plain JSON) says what the indexes have seen and comes
 * back as it was. Searches go on meanwhile; CONFLICT when an index changed, and the old snapshot stays.
 */
export const saveSnapshot = async (directory, model, position, { vectors, words }) => {
    const revisions = [vectors.revision, words.revision];
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const suffix = randomBytes(6).toString('hex');
    const nameOf = (kind) => `${kind}-${suffix}.bin`;
    const pathOf = (kind) => join(directory, nameOf(kind));
    try {
        const [vectorParts, wordParts] = [new BinaryWriter(), new BinaryWriter()];
        vectors.dump(vectorParts);
        const hasGraph = vectors.saveGraph(pathOf('graph'));
        words.dump(wordParts);
        const files = {
            vectors: { name: nameOf('vectors'), ...(await writeParts(pathOf('vectors'), vectorParts.chunks())) },
            words: { name: nameOf('words'), ...(await writeParts(pathOf('words'), wordParts.chunks())) },
            ...(hasGraph && { graph: { name: nameOf('graph'), ...(await describeFile(pathOf('graph'))) } }),
        };
        if (vectors.revision !== revisions[0] || words.revision !== revisions[1])
            throw new DomainError('CONFLICT', 'The indexes changed while their snapshot was written', 'Hold updates back and save again');
        const manifest = { format: FORMAT, model, position, ...files };
        await writeParts(pathOf('manifest'), [Buffer.from(signed(JSON.stringify(manifest)))]);
        await rename(pathOf('manifest'), join(directory, MANIFEST));
        await removeOthers(directory, Object.values(files));
    }
    catch (error) {
        await Promise.all(['vectors', 'words', 'graph', 'manifest'].map((kind) => rm(pathOf(kind), { force: true })));
        throw error;
    }
};
/** Reads back what `saveSnapshot` wrote for this model. Anything doubtful is refused with a reason and never loaded. */
export const loadSnapshot = async (directory, model, options) => {
    const text = await readFile(join(directory, MANIFEST), 'utf8').catch(whenMissing);
    if (text === undefined)
        return { status: 'absent' };
    const found = parseManifest(text);
    if (typeof found === 'string')
        return { status: 'refused', reason: found, detail: `${MANIFEST} is not of format ${FORMAT}` };
    if (found.model !== model)
        return { status: 'refused', reason: 'foreign-model', detail: `the vectors are those of ${found.model}, this process has ${model}` };
    return loadFiles(directory, found, options).catch((error) => damaged(error instanceof Error ? error.message : String(error)));
};
/** Deletes a snapshot, whole or not. The memories' words are in it. */
export const removeSnapshot = async (directory) => {
    await rm(join(directory, MANIFEST), { force: true });
    await removeOthers(directory, []).catch(whenMissing);
};
const loadFiles = async (directory, manifest, options) => {
    const contents = {};
    for (const kind of ['vectors', 'words', 'graph']) {
        const entry = manifest[kind];
        if (entry === undefined)
            continue;
        contents[kind] = await readChecked(join(directory, entry.name), entry);
        if (contents[kind] === undefined)
            return damaged(`${entry.name} is not the file that was written`);
    }
    if (contents.vectors === undefined || contents.words === undefined)
        return damaged('a file is missing');
    const graphPath = manifest.graph && join(directory, manifest.graph.name);
    return {
        status: 'loaded',
        position: manifest.position,
        words: InMemoryLexicalIndex.load(new BinaryReader(contents.words)),
        vectors: InProcessVectorIndex.load(new BinaryReader(contents.vectors), options, graphPath),
    };
};
const damaged = (detail) => ({ status: 'refused', reason: 'damaged', detail });
/** One line of JSON and one with its digest. */
const signed = (json) => `${json}\n${createHash('sha256').update(json).digest('hex')}\n`;
const parseManifest = (text) => {
    try {
        const line = text.slice(0, text.indexOf('\n'));
        if (text !== signed(line))
            return 'damaged';
        const json = JSON.parse(line);
        const known = manifestSchema.safeParse(json);
        if (known.success)
            return known.data;
        return z.object({ format: z.number() }).safeParse(json).data?.format === FORMAT ? 'damaged' : 'other-format';
    }
    catch {
        return 'damaged';
    }
};
const SNAPSHOT_FILE = /^(vectors|words|graph|manifest)-[0-9a-f]+\.bin$/;
const removeOthers = async (directory, kept) => {
    const names = new Set(kept.map((file) => file.name));
    const others = (await readdir(directory)).filter((name) => SNAPSHOT_FILE.test(name) && !names.has(name));
    await Promise.all(others.map((name) => rm(join(directory, name), { force: true })));
};
const whenMissing = (error) => {
    if (error.code !== 'ENOENT')
        throw error;
    return undefined;
};
//# sourceMappingURL=snapshot.js.map