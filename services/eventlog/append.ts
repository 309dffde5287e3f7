import type { Redis } from 'iovalkey';
import type { DomainEvent } from '../../domain/catalogue.js';
import type { Position } from '../../domain/envelope.js';
import { DomainError } from '../../domain/errors.js';
import type { Catalogue } from '../../domain/event.js';
import type { Keys } from '../../projections/keys.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { fromValkey } from '../valkey/errors.js';
import { type EncodedEvent, encodeEvent } from './encode.js';
import type { Random } from './random.js';

/** A small, text-free result (ids and keys only) that is kept for a day and answered again to a repeated command. */
export type CommandResult = Readonly<Record<string, unknown>>;

/** What one command writes to one subject. */
export type SubjectWrite = {
  readonly subject: string;
  /** The version the decision was made on, or `any` for series without end. */
  readonly expected: number | 'any';
  readonly events: readonly DomainEvent[];
  /**
   * Claims to take, hashes without blanks; `free` refuses the command when another subject holds one (or takes it in the
   * same command), `ifFree` leaves it there.
   */
  readonly claims?: readonly { readonly claim: string; readonly mode: 'free' | 'ifFree' }[] | undefined;
  readonly release?: readonly string[] | undefined;
  /** The windows' vectors of the content that these events set, concatenated float32, under one model. */
  readonly vectors?: { readonly model: string; readonly bytes: Buffer } | undefined;
};

/** One command's events: all of them are appended, or none. */
export type Append = {
  /** A ULID, or a batch of one. Met again within a day, the command answers its first result and appends nothing. */
  readonly commandId: string;
  /** ULID that numbered batches of one action share; each has a command id of its own. Default: the command id. */
  readonly correlation?: string | undefined;
  readonly actor: string;
  readonly causation?: string | undefined;
  /** ISO, UTC: what the command's clock says. */
  readonly at: string;
  readonly writes: readonly SubjectWrite[];
  /** Subjects that were only read, at the version they were read. */
  readonly guards?: readonly { readonly subject: string; readonly version: number }[] | undefined;
  /** The erasure number at which published text was read. */
  readonly erasures?: number | undefined;
  readonly result: CommandResult;
};

export type Appended = {
  readonly outcome: 'appended' | 'repeated';
  /** One entry per event, in the order of the writes. */
  readonly events: readonly { readonly n: number; readonly position: Position }[];
  readonly result: CommandResult;
};

export type Refused =
  | { readonly outcome: 'version'; readonly subject: string; readonly actual: number }
  | { readonly outcome: 'claimed'; readonly subject: string; readonly claim: string; readonly holder: string }
  | { readonly outcome: 'erasures'; readonly actual: number };

/** More than this many events are not one append: they go in numbered batches of one correlation. */
export const MAX_EVENTS = 2_000;
export const RESULT_SECONDS = 24 * 60 * 60;
const MAX_GROUP_BYTES = 8 * 1024 * 1024;

const SCRIPT = loadScript('services/eventlog/append.lua');

type Pending = {
  readonly append: Append;
  readonly events: readonly EncodedEvent[][];
  readonly bytes: number;
  readonly resolve: (answer: Appended | Refused) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Group commit: commands that arrive while the loop is busy share one call of the script, and with it one sync of the
 * append-only file; each is still decided on its own. Rejects with the raw Valkey error, EventFault for an event that does
 * not fit the catalogue, and TOO_LARGE beyond MAX_EVENTS.
 */
export const createAppender = (redis: Redis, keys: Keys, catalogue: Catalogue<DomainEvent>, random: Random) => {
  let waiting: Pending[] = [];
  let scheduled = false;

  const flush = (): void => {
    scheduled = false;
    while (waiting.length > 0) {
      let events = 0;
      let bytes = 0;
      const end = waiting.findIndex((pending, i) => {
        events += pending.events.reduce((sum, list) => sum + list.length, 0);
        bytes += pending.bytes;
        return i > 0 && (events > MAX_EVENTS || bytes > MAX_GROUP_BYTES);
      });
      const group = end < 0 ? waiting : waiting.slice(0, end);
      waiting = end < 0 ? [] : waiting.slice(end);
      void send(group);
    }
  };

  const send = async (group: readonly Pending[]): Promise<void> => {
    try {
      const call = planOf(group, keys);
      const answers = (await runScript(redis, SCRIPT, call.keys, call.args)) as unknown[][];
      group.forEach((pending, i) => {
        pending.resolve(answerOf(pending.append, answers[i] ?? []));
      });
    } catch (error) {
      // A script keeps what it wrote before an error of its own: asked alone, each command learns what became of it.
      const ownFault = fromValkey(error) === error;
      if (ownFault && group.length > 1) for (const pending of group) void send([pending]);
      else for (const pending of group) pending.reject(error);
    }
  };

  return (append: Append): Promise<Appended | Refused> =>
    new Promise((resolve, reject) => {
      refuseTooLarge(append);
      const events = append.writes.map((write) => write.events.map((event) => encodeEvent(event, append, catalogue, random)));
      const bytes = events.flat().reduce((sum, { payload }) => sum + payload.length, 0);
      waiting.push({ append, events, bytes, resolve, reject });
      if (!scheduled) {
        scheduled = true;
        setImmediate(flush);
      }
    });
};

const refuseTooLarge = ({ writes }: Append): void => {
  const count = writes.reduce((sum, { events }) => sum + events.length, 0);
  if (count <= MAX_EVENTS) return;
  throw new DomainError('TOO_LARGE', `${count} events are more than the ${MAX_EVENTS} that one append holds`, 'Split the call into parts');
};

const planOf = (group: readonly Pending[], keys: Keys): { keys: string[]; args: (string | Buffer)[] } => {
  const scriptKeys: string[] = [keys.log, keys.erasures, keys.claims, keys.restoring];
  const args: (string | Buffer)[] = [''];
  const key = (name: string): number => scriptKeys.push(name);
  const arg = (...values: readonly (string | Buffer)[]): number => args.push(...values) - values.length + 1;

  const plan = group.map(({ append, events }) => ({
    c: key(keys.commandResult(append.commandId)),
    t: RESULT_SECONDS,
    r: arg(JSON.stringify(append.result)),
    ...(append.erasures !== undefined && { e: append.erasures }),
    g: (append.guards ?? []).map(({ subject, version }) => [key(keys.payloads(subject)), version]),
    w: append.writes.map((write, i) => ({
      k: key(keys.payloads(write.subject)),
      s: arg(write.subject),
      x: write.expected === 'any' ? -1 : write.expected,
      ev: (events[i] ?? []).map((event) => [arg(...event.args), event.setsContent ? 1 : 0]),
      cl: (write.claims ?? []).map(({ claim, mode }) => [arg(claim), mode === 'free' ? 1 : 0]),
      rl: (write.release ?? []).map((claim) => arg(claim)),
      ...(write.vectors && { em: [key(keys.embedding(write.vectors.model, write.subject)), arg(write.vectors.bytes)] }),
    })),
  }));
  args[0] = JSON.stringify(plan);
  return { keys: scriptKeys, args };
};

type Made = readonly [n: number, position: Position];

export const madeEvents = (made: readonly Made[]): Appended['events'] => made.map(([n, position]) => ({ n, position }));

/** The first result of a command that was met again. */
export const repeated = (stored: string): Appended => {
  const { events, result } = JSON.parse(stored) as { events: Made[]; result: CommandResult };
  return { outcome: 'repeated', events: madeEvents(events), result };
};

const answerOf = (append: Append, [outcome, first, second, third]: readonly unknown[]): Appended | Refused => {
  switch (outcome) {
    case 'ok':
      return { outcome: 'appended', events: madeEvents(JSON.parse(String(first)) as Made[]), result: append.result };
    case 'repeat':
      return repeated(String(first));
    case 'version':
      return { outcome: 'version', subject: append.writes[Number(first)]?.subject ?? '', actual: Number(second) };
    case 'guard':
      return { outcome: 'version', subject: append.guards?.[Number(first)]?.subject ?? '', actual: Number(second) };
    case 'claim':
      return { outcome: 'claimed', subject: append.writes[Number(first)]?.subject ?? '', claim: String(second), holder: String(third) };
    case 'erasures':
      return { outcome: 'erasures', actual: Number(first) };
    default:
      throw new Error(`append.lua answered ${String(outcome)}`);
  }
};
