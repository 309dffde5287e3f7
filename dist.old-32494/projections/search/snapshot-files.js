import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
const READ_AT_ONCE = 4 * 1024 * 1024;
/** Writes the parts one after the other and makes them durable; the event loop has its turn between parts. */
export const writeParts = async (path, parts) => {
    const hash = createHash('sha256');
    let bytes = 0;
    const file = await open(path, 'wx', 0o600);
    try {
        for (const part of parts) {
            hash.update(part);
            await file.writeFile(part);
            bytes += part.byteLength;
        }
        await file.sync();
    }
    finally {
        await file.close();
    }
    return { bytes, sha256: hash.digest('hex') };
};
/** Size and digest of a file that another library wrote, which is made durable on the way. */
export const describeFile = async (path) => {
    const file = await open(path, 'r+');
    try {
        await file.sync();
        const { size } = await file.stat();
        const hash = createHash('sha256');
        const buffer = Buffer.alloc(Math.min(READ_AT_ONCE, size));
        for (let at = 0; at < size;) {
            const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
            hash.update(buffer.subarray(0, bytesRead));
            at += bytesRead;
        }
        return { bytes: size, sha256: hash.digest('hex') };
    }
    finally {
        await file.close();
    }
};
/** The file's bytes; undefined when size or digest differ. Rejects with the system's error when it cannot be read. */
export const readChecked = async (path, expected) => {
    const file = await open(path, 'r');
    try {
        if ((await file.stat()).size !== expected.bytes)
            return undefined;
        const bytes = Buffer.allocUnsafeSlow(expected.bytes);
        const hash = createHash('sha256');
        for (let at = 0; at < expected.bytes;) {
            const { bytesRead } = await file.read(bytes, at, Math.min(READ_AT_ONCE, expected.bytes - at), at);
            if (bytesRead === 0)
                return undefined;
            hash.update(bytes.subarray(at, at + bytesRead));
            at += bytesRead;
        }
        return hash.digest('hex') === expected.sha256 ? bytes : undefined;
    }
    finally {
        await file.close();
    }
};
//# sourceMappingURL=snapshot-files.js.map