import type { Receipt } from './receipt.js';

const VERDICTS: Readonly<Record<Receipt['verdict'], string>> = {
  erased: 'Erased. The text was found before, and nowhere after.',
  'in backups': 'Erased here, but backups still hold the text: omnimem backup purge rewrites them.',
  found: 'NOT GONE: the text is still found. See below where.',
  unproven: 'Unproven: the scan did not find the text while it was there, so that finding nothing proves nothing.',
};

/** The receipt as a page for people. */
export const sayReceipt = (receipt: Receipt): string => {
  const { verdict, at, log_id, memories, erasures, pieces, checks, not_checked, suppressions_kept, cannot_see, notes } = receipt;
  const rows = checks.map(({ place, looked_at, bytes, found_before, found_after }) =>
    [place, String(looked_at), String(bytes), String(found_before), String(found_after)].map((cell, i) =>
      i === 0 ? cell.padEnd(24) : cell.padStart(i === 2 ? 14 : 8),
    ),
  );
  return [
    VERDICTS[verdict],
    `Receipt of ${at} for log ${log_id}: ${memories} memories, erasure ${erasures}, ${pieces} pieces of text looked for.`,
    '',
    `${'place'.padEnd(24)}${'read'.padStart(8)}${'bytes'.padStart(14)}${'before'.padStart(8)}${'after'.padStart(8)}`,
    ...rows.map((cells) => cells.join('')),
    ...checks.flatMap(({ where = [] }) => where.map((place) => `  still in ${place}`)),
    ...notes.map((note) => `Note: ${note}`),
    ...suppressions_kept.map((topic) => `Stays suppressed, since somebody else suppressed it too: ${topic}`),
    ...not_checked.slice(0, 20).map(({ key, why }) => `Not looked for: ${key}: ${why}.`),
    '',
    'It cannot see:',
    ...cannot_see.map((spot) => `  ${spot}`),
  ].join('\n');
};
