import { describe, expect, it } from 'vitest';
import { fold } from '../../../domain/decider.js';
import { REVISED, settledByRevision } from '../../../domain/maintenance/revised.js';
import type { MemoryEvent } from '../../../domain/memory/events.js';
import { type Memory, memoryDecider } from '../../../domain/memory/memory.js';
import { rememberedWith } from '../../support/eventlog.js';

const [one, two] = ['mem:episodic:1', 'mem:episodic:2'];
const memory = (content: string, against: readonly string[], more: readonly MemoryEvent[] = []): Memory =>
  fold<Memory, MemoryEvent>(memoryDecider, [
    { type: 'MemoryRemembered', data: rememberedWith(content) },
    ...against.map((key): MemoryEvent => ({ type: 'ContradictionFlagged', data: { with: key, method: 'heuristic' } })),
    ...more,
  ]);
const resolved = (key: string): MemoryEvent => ({ type: 'ContradictionResolved', data: { with: key, note: REVISED } });

describe('a new wording', () => {
  const agreeing = memory('The pool runs 7 worker threads in every region', [two]);
  it('settles what no rule finds any more, on both memories', () =>
    expect(settledByRevision(one, agreeing, new Map([[two, memory('The pool runs 7 worker threads', [one])]]))).toEqual(
      new Map([
        [one, [resolved(two)]],
        [two, [resolved(one)]],
      ]),
    ));
  it('settles nothing while the texts still disagree', () =>
    expect(
      settledByRevision(
        one,
        memory('The pool runs 8 worker threads', [two]),
        new Map([[two, memory('The pool runs 7 worker threads', [one])]]),
      ),
    ).toEqual(new Map()));
  it('settles nothing with a memory that is not known here, or was forgotten', () => {
    expect(settledByRevision(one, agreeing, new Map())).toEqual(new Map());
    const forgotten = memory('x', [one], [{ type: 'MemoryForgotten', data: {} }]);
    expect(settledByRevision(one, agreeing, new Map([[two, forgotten]]))).toEqual(new Map());
  });
  it('settles one of two', () => {
    const three = 'mem:episodic:3';
    const revised = memory('The pool runs 7 worker threads', [two, three]);
    const others = new Map([
      [two, memory('The pool runs 9 worker threads', [one])],
      [three, memory('The pool runs 7 worker threads in total', [one])],
    ]);
    expect([...settledByRevision(one, revised, others).keys()]).toEqual([one, three]);
  });
});
