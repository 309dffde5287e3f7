import { describe, expect, it } from 'vitest';
import { nodesOf, primaryOf, refusalOf, servesWhole } from '../../../services/valkey/cluster/redirections.js';
import { fromValkey, isOutcomeUnknown } from '../../../services/valkey/errors.js';

describe('what a node of a cluster answers in place of a result', () => {
  it.each([
    ['MOVED 3999 127.0.0.1:6381', { kind: 'moved', host: '127.0.0.1', port: 6381 }],
    ['MOVED 3999 :6381', { kind: 'moved', host: '', port: 6381 }],
    ['MOVED 3999 ::1:6381', { kind: 'moved', host: '::1', port: 6381 }],
    ['ASK 3999 node-2.example:6381', { kind: 'ask', host: 'node-2.example', port: 6381 }],
    ['TRYAGAIN Multiple keys request during rehashing of slot', { kind: 'wait', because: 'TRYAGAIN' }],
    ['CLUSTERDOWN Hash slot not served', { kind: 'wait', because: 'CLUSTERDOWN' }],
    ['MOVED The node that began this scan no longer goes on with it', undefined],
    ['WRONGTYPE Operation against a key', undefined],
    ['Connection is closed.', undefined],
  ])('%s', (message, refusal) => expect(refusalOf(new Error(message))).toEqual(refusal));

  it.each(['MOVED 1 h:1', 'ASK 1 h:1', 'TRYAGAIN x', 'CLUSTERDOWN x'])('%s has done nothing and is UNAVAILABLE', (message) => {
    expect(fromValkey(new Error(message))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(isOutcomeUnknown(new Error(message))).toBe(false);
  });
});

describe('the map of a cluster', () => {
  const node = (name: string, flags: string, slots: string): string => `${name} 127.0.0.1:1@2 ${flags} - 0 0 1 connected ${slots}`;
  const nodes = (slots: string): string => [node('a', 'master', '0-99'), node('b', 'myself,master', slots), ''].join('\n');
  it.each([
    ['100-200', true],
    ['150', true],
    ['1-2 150-151', true],
    ['0-149 151-200', false],
    ['', false],
    ['100-200 [150->-c0ffee]', false],
    ['151-200 [150-<-c0ffee]', false],
    ['100-200 [15->-c0ffee]', true],
  ])('slot 150 of a node with %j is whole: %s', (slots, whole) => expect(servesWhole(nodes(slots), 150)).toBe(whole));

  const slots = [
    [0, 99, ['127.0.0.1', 1, 'a', []], ['127.0.0.1', 4, 'replica', []]],
    [100, 200, [null, 2, 'b', []]],
  ];
  it('names the primary of a slot', () => {
    expect(primaryOf(slots, 99)).toEqual({ host: '127.0.0.1', port: 1, id: 'a' });
    expect(primaryOf(slots, 100)).toEqual({ host: '', port: 2, id: 'b' });
    expect(primaryOf(slots, 201)).toBeUndefined();
  });
  it('names every node', () => expect(nodesOf(slots).map(({ port }) => port)).toEqual([1, 4, 2]));
});
