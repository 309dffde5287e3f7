import { expect, it } from 'vitest';
import { counted } from '../../../services/transfer/report.js';

it('what was set aside is counted by kind and reason, the commonest first', () => {
  const entries = [
    { kind: 'refused record', why: 'Its key stands in the file again.' },
    ...Array.from({ length: 3 }, () => ({ kind: 'refused record', why: 'It has no text.' })),
    { kind: 'field colour', why: 'It has no text.' },
  ];
  expect(counted(entries)).toEqual([
    { what: 'refused record', why: 'It has no text.', count: 3 },
    { what: 'field colour', why: 'It has no text.', count: 1 },
    { what: 'refused record', why: 'Its key stands in the file again.', count: 1 },
  ]);
});
