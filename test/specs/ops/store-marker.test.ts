import { expect, it } from 'vitest';
import { storeDiffers } from '../../../services/ops/store-marker.js';

const marker = (log_id: string, events: number) => ({ log_id, events, seen_at: '2026-05-03T12:00:00.000Z' });

it.each([
  ['nothing was noted', undefined, marker('B', 5), undefined],
  ['the log grew', marker('A', 4), marker('A', 5), undefined],
  ['a log that was empty gave way to another', marker('A', 0), marker('B', 5), /another store/],
  ['another log is here', marker('A', 4), marker('B', 5), /another store.*log B \(5 events\), and log A with 4 events/],
  ['the log is gone', marker('A', 4), marker('B', 0), /another store/],
  ['the log is shorter', marker('A', 4), marker('A', 3), /shorter than it was: 3 events now, 4 on 2026/],
])('%s', (_, before, now, told) => {
  const said = storeDiffers(before, now);
  if (told === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(told);
});
