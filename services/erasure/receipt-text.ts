import { isTopicSubject } from '../../domain/topic/topic.js';
import type { Receipt } from './receipt.js';

const VERDICTS: Readonly<Record<Receipt['verdict'], string>> = {
  erased: 'Erased. What was looked for was found before, and nowhere after.',
  'in backups': 'Erased here, but backups still hold the text: omnimem backup purge rewrites them.',
  found: 'NOT GONE: the text is still found. See below where.',
  unproven: 'Unproven: the scan did not find the text while it was there, so that finding nothing proves nothing.',
};

/** The receipt as a page for people. */
export const sayReceipt = (receipt: Receipt): string => {
  const { verdict, at, log_id, memories, keys, erasures, pieces, checks, not_checked, suppressions_kept, cannot_see, notes } = receipt;
  const topics = keys.filter(isTopicSubject).length;
  const rows = checks.map(({ place, looked_at, bytes, found_before, found_after }) =>
    [place, String(looked_at), String(bytes), String(found_before), String(found_after)].map((cell, i) =>
      i === 0 ? cell.padEnd(24) : cell.padStart(i === 2 ? 14 : 8),
    ),
  );
  return [
    VERDICTS[verdict],
    `Receipt of ${at} for log ${log_id}: ${memories - topics} memories${topics > 0 ? ` and ${topics} entries of a topic` : ''}, erasure ${erasures}, ${pieces} pieces of text looked for.`,
    'It speaks of what these said, and of nothing else.',
    '',
    `${'place'.padEnd(24)}${'read'.padStart(8)}${'bytes'.padStart(14)}${'before'.padStart(8)}${'after'.padStart(8)}`,
    ...rows.map((cells) => cells.join('')),
    ...checks.flatMap(({ where = [] }) => where.map((place) => `  still in ${place}`)),
    ...notes.map((note) => `Note: ${note}`),
    ...suppressions_kept.map((topic) => `Stays suppressed, since somebody else suppressed it too: ${topic}`),
    ...leftText(receipt),
    ...not_checked.slice(0, 20).map(({ key, why }) => `Not looked for: ${key}: ${why}.`),
    '',
    'It cannot see:',
    ...cannot_see.map((spot) => `  ${spot}`),
  ].join('\n');
};

const leftText = ({ topics_left: { count, topics } }: Receipt): readonly string[] =>
  count === 0
    ? []
    : [
        `Not looked for, and still there: ${count === 1 ? 'a topic' : `${count} topics`} that somebody suppressed by hand: ${topics.join(', ')}${count > topics.length ? ', and others' : ''}. omnimem forget --topic erases one.`,
      ];
