import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogue, type DomainEvent } from '../../../domain/catalogue.js';
import { createCatalogue, defineEvent, EventFault } from '../../../domain/event.js';
import { rememberedWith } from '../../support/eventlog.js';
import { ages, oldEvent } from './artificial.js';

const faultOf = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (error) {
    return error instanceof EventFault ? error.code : error;
  }
};
const today = rememberedWith('a fact');

describe('writing', () => {
  it('gives an event the present version of its type', () => {
    expect(catalogue.write({ type: 'MemoryRemembered', data: today })).toEqual({ v: 1, data: today });
    expect(ages.second.write(oldEvent({ content: 'a fact' })).v).toBe(2);
    expect(ages.third.write({ type: 'MemoryRemembered', data: today }).v).toBe(3);
  });
  it('refuses an unknown type', () =>
    expect(faultOf(() => catalogue.write({ type: 'MemoryDreamt', data: {} } as unknown as DomainEvent))).toBe('UNKNOWN_TYPE'));
  it('refuses data that does not fit', () =>
    expect(faultOf(() => catalogue.write({ type: 'MemoryRemembered', data: { ...today, content: '' } }))).toBe('INVALID_DATA'));
  it('names the field and never the text in a refusal', () => {
    const secret = { ...today, namespace: 'a secret text' } as unknown as typeof today;
    expect(() => catalogue.write({ type: 'MemoryRemembered', data: secret })).toThrowError(/namespace/);
    expect(() => catalogue.write({ type: 'MemoryRemembered', data: secret })).not.toThrowError(/a secret text/);
  });
});

describe('reading', () => {
  it('gives what was written', () =>
    expect(catalogue.read('MemoryRemembered', 1, today)).toEqual({ type: 'MemoryRemembered', data: today }));
  it('lifts every older version to the present one', () => {
    const lifted = { type: 'MemoryRemembered', data: { ...today, tags: [] } };
    expect(ages.third.read('MemoryRemembered', 1, { text: 'a fact' })).toEqual(lifted);
    expect(ages.third.read('MemoryRemembered', 2, { content: 'a fact' })).toEqual(lifted);
    expect(ages.third.read('MemoryRemembered', 2, { content: 'a fact', tag: 'x' })).toEqual({ ...lifted, data: { ...today, tags: ['x'] } });
    expect(ages.third.read('MemoryRemembered', 3, today)).toEqual(lifted);
  });
  it('refuses an unknown type', () => expect(faultOf(() => catalogue.read('MemoryDreamt', 1, {}))).toBe('UNKNOWN_TYPE'));
  it.each([0, 4, 1.5, -1, Number.NaN])('refuses version %d of three', (v) =>
    expect(faultOf(() => ages.third.read('MemoryRemembered', v, today))).toBe('UNKNOWN_VERSION'),
  );
  it('refuses data that does not fit', () =>
    expect(faultOf(() => catalogue.read('MemoryRemembered', 1, { content: 1 }))).toBe('INVALID_DATA'));
  it('refuses what an upcaster cannot lift', () =>
    expect(faultOf(() => ages.third.read('MemoryRemembered', 1, null))).toBe('INVALID_DATA'));
});

describe('the fingerprint', () => {
  const A = z.object({});
  const of = (...definitions: Parameters<typeof createCatalogue>[0]): string => createCatalogue(definitions).fingerprint;
  it('does not depend on the order of the list', () =>
    expect(of(defineEvent('A', A), defineEvent('B', A))).toBe(of(defineEvent('B', A), defineEvent('A', A))));
  it('changes with a new event and with a new version', () => {
    const all = [of(defineEvent('A', A)), of(defineEvent('A', A), defineEvent('B', A)), of(defineEvent('A', A, [(old) => old]))];
    expect(new Set(all).size).toBe(3);
  });
  it('covers every event there is, each once', () => {
    expect(new Set(catalogue.types).size).toBe(catalogue.types.length);
    for (const type of catalogue.types) expect(catalogue.fingerprint).toContain(`${type}@`);
  });
});
