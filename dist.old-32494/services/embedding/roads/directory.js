import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import { DomainError } from '../../../domain/errors.js';
import { placeFile, sizeOf } from './files.js';
const find = async (root, file, hubModel) => {
    const places = [file.path, join(hubModel, file.path), basename(file.path), file.jarEntry].map((place) => join(root, place));
    for (const place of places)
        if ((await sizeOf(place)) !== undefined)
            return place;
    throw new DomainError('UNAVAILABLE', `${root} holds no ${file.path}.`, `Put it at ${places[0]}.`);
};
/** Copies the model from the folder that `OMNIMEM_MODEL_DIR` names. */
export const fromDirectory = async (context) => {
    const root = context.env.OMNIMEM_MODEL_DIR;
    if (root === undefined || root === '')
        throw new DomainError('UNAVAILABLE', 'OMNIMEM_MODEL_DIR is not set.');
    for (const file of context.missing) {
        const path = await find(root, file, context.manifest.hub.model);
        await placeFile(context, file, { road: 'directory', origin: path, chunks: createReadStream(path, { signal: context.signal }) });
    }
};
//# sourceMappingURL=directory.js.map