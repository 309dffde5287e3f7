import { Writable } from 'node:stream';
/**
 * Keeps standard output for the protocol: from here on whatever else writes to it lands on standard error. To be called
 * before anything else is loaded. Returns the only way to the real output.
 */
export const guardStdout = () => {
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = process.stderr.write.bind(process.stderr);
    const output = new Writable({
        decodeStrings: false,
        write: (chunk, _encoding, callback) => {
            write(chunk, (error) => callback(error ?? null));
        },
    });
    process.stdout.on('error', (error) => output.destroy(error));
    return output;
};
//# sourceMappingURL=guard.js.map