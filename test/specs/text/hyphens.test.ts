import { describe, expect, it } from 'vitest';
import { namesApart } from '../../../domain/text/hyphens.js';

const apart = (text: string, held: readonly string[], german = false) =>
  namesApart(text, { isHeld: (one) => held.includes(one), isMeant: (one) => held.includes(one), isGerman: () => german });

describe('a name that a hyphen joins to other words', () => {
  it.each([
    ['the KESTREL_FX-based lookup', ['KESTREL_FX', 'based'], 'the KESTREL_FX based lookup'],
    ['the KESTREL_FX-based lookup', ['KESTREL_FX'], 'the KESTREL_FX based lookup'],
    ['EndToEndId-check...', ['EndToEndId'], 'EndToEndId check...'],
    ['non-ECONNREFUSED.', ['ECONNREFUSED', 'non'], 'non ECONNREFUSED.'],
    ['WireGuard-Keys', ['WireGuard', 'Keys'], 'WireGuard Keys'],
    ['Redis-backed', ['Redis', 'backed'], 'Redis backed'],
    ['PAY-2219-Ticket', ['PAY-2219', 'PAY', 'Ticket'], 'PAY-2219 Ticket'],
  ])('stands alone: %s, %j', (text, held, expected) => expect(apart(text, held)).toBe(expected));

  it('is in German any word that it begins with', () => {
    expect(apart('Snowflake-Rechnung', ['Snowflake', 'Rechnung'], true)).toBe('Snowflake Rechnung');
    expect(apart('Snowflake-Rechnung', ['Snowflake'], true)).toBe('Snowflake');
    expect(apart('WireGuard-Schlüssel', ['WireGuard'], true)).toBe('WireGuard');
    expect(apart('WireGuard-Schlüssel', ['WireGuard'])).toBe('WireGuard Schlüssel');
    expect(apart('Elasticsearch-Clusters', ['Clusters'], true)).toBe('Elasticsearch-Clusters');
  });

  it.each([
    ['WireGuard-Keys', ['WireGuard-Keys', 'WireGuard']],
    ['WireGuard-Keys', ['Keys']],
    ['fetch-user', ['fetch', 'user']],
    ['PAY-2219', ['PAY']],
    ['Content-Type', ['Content', 'Type']],
    ['src/getUser-fast', ['getUser', 'fast']],
    ['--no-getUser', ['getUser', 'no']],
    ['2026-06-01', ['2026']],
    ['a well-known way', ['well', 'known']],
    ['Grafana-oncall', ['Grafana']],
  ])('stays where it is one, or none: %s, %j', (text, held) => expect(apart(text, held)).toBe(text));
});
