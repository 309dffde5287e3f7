import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { Position } from '../../domain/envelope.js';

/** A field of a log entry: text, or a list of one base64 text where the bytes are no UTF-8. */
export type WireField = string | readonly [base64: string];

/**
 * How the payload of an entry stood when it was copied: present, erased (a husk), missing without a reason, present but not
 * the one the envelope names, or not to be found because the envelope cannot be read.
 */
export type PayloadState = 'p' | 'h' | 'm' | 'd' | 'b';

/** One entry of the log as the store keeps it, byte for byte. */
export type RawEntry = {
  readonly position: Position;
  /** Names and values in turn, as they stand in the stream. */
  readonly fields: readonly WireField[];
  readonly state: PayloadState;
  readonly payload: Buffer | undefined;
};

export const toWire = (bytes: Buffer): WireField => (isUtf8(bytes) ? bytes.toString('utf8') : [bytes.toString('base64')]);

export const fromWire = (field: WireField): string | Buffer => (typeof field === 'string' ? field : bytesOf(field));

export const bytesOf = ([base64]: readonly [base64: string]): Buffer => Buffer.from(base64, 'base64');

/** What a restore looks at in an envelope; fields that are not readable are undefined. */
export type EnvelopeFacts = {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly subject: string | undefined;
  readonly n: number | undefined;
  readonly digest: string | undefined;
};

export const factsOf = ({ fields }: Pick<RawEntry, 'fields'>): EnvelopeFacts => {
  const read = (name: string): string | undefined => {
    for (let i = 0; i + 1 < fields.length; i += 2) {
      const value = fields[i + 1];
      if (fields[i] === name) return typeof value === 'string' ? value : undefined;
    }
    return undefined;
  };
  const n = read('n') ?? '';
  return {
    id: read('id'),
    type: read('type'),
    subject: read('subject') || undefined,
    n: /^[1-9]\d*$/.test(n) ? Number(n) : undefined,
    digest: read('digest'),
  };
};

const sha256 = (data: string | Buffer): string => hash('sha256', data, 'hex');

/** Where the chain of a log begins. */
export const chainStart = (logId: string): string => sha256(`omnimem-log/1:${logId}`);

/** The chain after one more entry: SHA-256 over the chain before it and the entry's place and fields. */
export const chained = (previous: string, { position, fields }: Pick<RawEntry, 'position' | 'fields'>): string =>
  sha256(previous + JSON.stringify([position, fields]));

/** Sixteen hex digits on each line, so that damage is found at its entry. They cover the chain and the payload's state. */
export const markOf = (chain: string, state: PayloadState): string => sha256(chain + state).slice(0, 16);

export const payloadDigest = (payload: Buffer): string => sha256(payload);
