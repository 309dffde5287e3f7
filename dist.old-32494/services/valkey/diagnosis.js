const NEWER = {
    kind: 'newer',
    reason: 'the data was written by a newer Valkey than the one installed here',
    hint: 'Install the Valkey that wrote it, or a later one, and start again. The data was not touched.',
    fatal: true,
};
const RULES = [
    {
        when: /No space left on device|Disk quota exceeded|Can't recover from AOF write error|Can't persist AOF for fsync error/i,
        diagnosis: {
            kind: 'disk',
            reason: 'the disk is full',
            hint: 'Free some space; until then memories can be read, and service resumes by itself.',
            fatal: false,
        },
    },
    {
        when: /Can't handle RDB format version|unknown (RDB|AOF) (format|manifest)|Unknown RDB encoding|Unknown AOF file type/i,
        diagnosis: NEWER,
    },
    {
        when: /module data I can't load|no matching module type|Unknown command '(FT|JSON|BF)\.|Can't load module/i,
        diagnosis: {
            kind: 'module',
            reason: 'the data was written with a Valkey module that is missing here',
            hint: 'Run the Valkey that wrote it (for example the valkey-bundle image) and point VALKEY_URL at it. The data was not touched.',
            fatal: true,
        },
    },
    {
        when: /Bad file format reading the append only file|Unexpected end of file reading the append only file|Unrecoverable error reading the append only file|Wrong signature trying to load DB|RDB CRC error|Unknown command '.*' reading the append only file|The AOF manifest file .* is invalid|Invalid AOF manifest/i,
        diagnosis: {
            kind: 'corrupt',
            reason: 'the append-only file is damaged in its middle',
            hint: 'Copy the data folder first, then run valkey-check-aof --fix on its manifest, or restore a backup.',
            fatal: true,
        },
    },
    {
        when: /Permission denied|Read-only file system|EACCES|EROFS/i,
        diagnosis: {
            kind: 'permission',
            reason: 'the data folder cannot be written',
            hint: 'Give this user the right to write there, or set OMNIMEM_DATA_DIR to another folder.',
            fatal: true,
        },
    },
];
/**
 * Reads the last lines of the server's log, how it ended, and the first bytes of the base file: Valkey 9 writes `VALKEY080`
 * there, which Valkey 8 takes for damage.
 */
export const diagnose = (lines, code, signal, baseHeader = '') => {
    const rule = RULES.find(({ when }) => lines.some((line) => when.test(line)));
    if (rule)
        return rule.diagnosis.kind === 'corrupt' && baseHeader.startsWith('VALKEY') ? NEWER : rule.diagnosis;
    if (code === 127) {
        return {
            kind: 'missing',
            reason: 'valkey-server was not found',
            hint: 'Install Valkey (npm start does where it can), or set VALKEY_URL.',
            fatal: true,
        };
    }
    if (signal !== null)
        return { kind: 'killed', reason: `it was ended by ${signal}`, hint: 'It is started again by itself.', fatal: false };
    const last = lines.findLast((line) => line.includes('# ')) ?? lines.at(-1) ?? '';
    return {
        kind: 'other',
        reason: `it ended with code ${code ?? '?'}: ${last.replace(/^.*?# /, '')}`,
        hint: 'It is started again by itself.',
        fatal: false,
    };
};
//# sourceMappingURL=diagnosis.js.map