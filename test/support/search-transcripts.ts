import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { encode, type Reply } from './resp.js';

/** A value of the recordings; see `how_to_read` at their head. */
type Recorded = string | number | null | { readonly [kind: string]: unknown } | readonly Recorded[];

export type Step = {
  readonly cmd?: readonly Recorded[];
  readonly reply?: Recorded;
  /** The exact bytes, where they were kept, as latin-1. */
  readonly raw?: string;
  readonly also?: Readonly<Record<string, Recorded>>;
  /** Something done outside the protocol. */
  readonly do?: string;
  readonly note?: string;
  readonly unordered?: boolean;
};

type Section = {
  readonly id: string;
  readonly steps: readonly Step[];
  readonly table?: readonly { readonly stored: string; readonly [way: string]: unknown }[];
};

const FILE = fileURLToPath(new URL('../fixtures/valkey-search/transcripts.json', import.meta.url));
const { sections } = JSON.parse(readFileSync(FILE, 'utf8')) as { sections: readonly Section[] };

/** One section of what valkey-search 1.2.1 was asked and answered. */
export const transcript = (id: string): Section => {
  const section = sections.find((one) => one.id === id);
  if (!section) throw new Error(`no transcript ${id}`);
  return section;
};

/** The bytes of a recorded argument. */
export const argumentBytes = (argument: Recorded): Buffer => {
  if (typeof argument !== 'object' || argument === null) return Buffer.from(String(argument));
  const { f32, hex } = argument as { f32?: (number | string)[]; hex?: string };
  if (f32) return Buffer.from(Float32Array.from(f32, Number).buffer);
  return Buffer.from(hex ?? '', 'hex');
};

export const replyOf = (recorded: Recorded): Reply => {
  if (Array.isArray(recorded)) return recorded.map(replyOf);
  if (typeof recorded !== 'object' || recorded === null) return recorded as string | number | null;
  const { '+': simple, '-': error, '*': array, hex } = recorded as Record<string, string | null>;
  if (typeof simple === 'string') return { simple };
  if (typeof error === 'string') return { error };
  if (array === null) return { array };
  return Buffer.from(hex ?? '', 'hex');
};

/** The bytes the module sent: as kept, else spelt from the recorded value. */
export const replyBytes = (step: Step): Buffer =>
  step.raw === undefined ? encode(replyOf(step.reply ?? null)) : Buffer.from(step.raw, 'latin1');
