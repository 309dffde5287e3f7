import type { Redis } from 'iovalkey';
import type { Position } from '../../domain/envelope.js';
import { DomainError } from '../../domain/errors.js';
import type { SimilarityThresholds } from '../../domain/similarity.js';
import type { IngestMode } from '../../domain/vocabulary.js';
import type { Made } from '../../projections/correlations.js';
import type { Keys } from '../../projections/keys.js';
import type { RecallIndex } from '../../projections/recall/recall-index.js';
import type { TimelineRow } from '../../projections/timeline.js';
import type { Call } from '../api.js';
import type { Embedder } from '../embedding/port.js';
import type { Appended } from '../eventlog/append.js';
import type { Stamped } from '../eventlog/handle.js';
import type { EventLog } from '../eventlog/log.js';
import type { Random } from '../eventlog/random.js';
import type { Model } from '../llm/port.js';
import type { Reindexer } from '../ops/reindex.js';
import type { Match } from '../queries/matches.js';
import type { SessionReads } from '../session-reads.js';
import type { Judge } from './contradictions/judge.js';
import type { EnrichingMode } from './enriching.js';
import type { ForgetPlans } from './forget-plan.js';

/** What commands are made of. */
export type CommandParts = {
  readonly log: EventLog;
  readonly redis: Redis;
  readonly keys: Keys;
  readonly index: RecallIndex;
  readonly random: Random;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The embedder that is ready; `off` when none is wanted. */
  readonly embedder: () => Embedder | undefined | 'off';
  /** Thresholds for the model that judges, with the settings laid over them. */
  readonly thresholds: (model: Embedder | undefined) => SimilarityThresholds;
  readonly defaultMode: IngestMode;
  readonly enriching: EnrichingMode;
  /** The language model; undefined without a key. */
  readonly model: Model | undefined;
  readonly deprioritisedWeight: number;
  /** Briefings of a project from one maintenance to the next (0: never by itself), and how much one run may change. */
  readonly maintenance: { readonly interval: number; readonly maxChanges: number };
  /** Asks a model whether two texts contradict each other; absent when none is set up. */
  readonly judge?: Judge | undefined;
  /** Waits, with a bound, until every view that reads need has passed a position. False when one is late. */
  readonly settled: (position: Position) => Promise<boolean>;
  /** Waits, with a bound, until the views have met what is in the log now. */
  readonly fresh: () => Promise<void>;
  /** The best answers to a query, as recall would rank them, without counting as a recall. */
  readonly bestMatches: (query: string, includeArchived: boolean) => Promise<readonly Match[]>;
  /** Physical keys of the rows that hold a memory's text. */
  readonly rowsOf: (key: string) => Promise<readonly string[]>;
  /** Notes a model id before its first vectors are stored, so that forgetting finds every vector. */
  readonly noteModel: (model: string) => Promise<void>;
  /** Members of documents named `<namespace>:<doc_id>`, in no order. */
  readonly documentMembers: (documents: readonly string[]) => Promise<readonly string[]>;
  /** The highest version ever made of a subject, whatever its payloads look like. */
  readonly versionOf: (subject: string) => Promise<number>;
  /** What the sessions of this process have read of projects. */
  readonly reads: SessionReads;
  /** What previews of forgetting listed. */
  readonly plans: ForgetPlans;
  /** Everything one command made. */
  readonly madeBy: (correlation: string) => Promise<readonly Made[]>;
  /** The history of a subject without its texts, oldest first. */
  readonly linesOf: (subject: string, versions?: readonly number[]) => Promise<readonly TimelineRow[]>;
  /** Every model id that has vectors here. */
  readonly models: () => Promise<readonly string[]>;
  /** Rebuilds of what recall reads. */
  readonly reindexer: Pick<Reindexer, 'run'>;
  /** Told that bytes of these memories wait to be erased from the disk; says whether that is ours to do. */
  readonly onErased: (keys: readonly string[]) => 'pending' | 'external';
  /** Why the list beside the backups, which keeps what is erased from coming back, cannot be written; undefined when it can. */
  readonly unlisted?: () => Promise<string | undefined>;
};

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** What an erasure's answer says of the backups. */
export const backupsNote = async ({ unlisted }: CommandParts): Promise<{ readonly backups_note?: string }> => {
  const why = await unlisted?.();
  if (why === undefined) return {};
  return {
    backups_note: `It is erased here, but could not be noted in FORGOTTEN beside the backups: a restore of an older one elsewhere could bring it back. It is tried again. ${why}`,
  };
};

/** Who and when, for the events of one call. Throws VALIDATION for a command id that is no ULID. */
export const stampOf = ({ random, now }: CommandParts, { actor, commandId }: Call): Stamped => {
  if (commandId !== undefined && !ULID.test(commandId)) {
    throw new DomainError('VALIDATION', 'command_id is not a ULID', 'Make a new one for each write (26 characters), or leave it out');
  }
  const at = now();
  return { commandId: commandId ?? random.ulid(at), repeatable: commandId !== undefined, actor, at: new Date(at).toISOString() };
};

/** `{}` once the views show what was appended, else `{ visible: false }`. An acknowledged write never fails for a late view. */
export const visibility = async ({ settled }: CommandParts, appended: Appended | undefined): Promise<{ visible?: false }> => {
  const position = appended?.events.at(-1)?.position;
  return position === undefined || (await settled(position)) ? {} : { visible: false };
};

/** Several notes for people as the one note of an answer. */
export const notes = (...all: readonly (string | undefined)[]): { readonly note?: string } => {
  const said = all.filter((note) => note !== undefined);
  return said.length === 0 ? {} : { note: said.join(' ') };
};
