import type { Redis } from 'iovalkey';
import type { DomainEvent } from '../../domain/catalogue.js';
import type { Catalogue } from '../../domain/event.js';
import { projectOf } from '../../domain/project/key.js';
import { isTopicSubject } from '../../domain/topic/topic.js';
import type { Keys } from '../../projections/keys.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import { unlinkRows, withoutRows } from '../../projections/search/valkey/rows.js';
import { type Appended, type CommandResult, madeEvents, RESULT_SECONDS, type Refused, repeated } from './append.js';
import { encodeEvent } from './encode.js';
import type { Random } from './random.js';

/** Names of the counters kept per memory beside the log. */
export const RECALL_COUNTERS = { count: 'recalls', last: 'last-recalled' } as const;

const SCRIPT = loadScript('services/eventlog/forget.lua');

export type Forget = {
  readonly commandId: string;
  /** ULID that numbered batches of one erasure share. Default: the command id. */
  readonly correlation?: string | undefined;
  readonly actor: string;
  readonly at: string;
  /** Each subject at the version it was read, and the physical keys that hold its text or vectors. */
  readonly subjects: readonly { readonly subject: string; readonly expected: number; readonly deletes: readonly string[] }[];
  readonly result: CommandResult;
};

/** The event that erases a subject's past. */
export const erasureOf = (subject: string): DomainEvent => {
  if (isTopicSubject(subject)) return { type: 'TopicForgotten', data: {} };
  return projectOf(subject) === undefined ? { type: 'MemoryForgotten', data: {} } : { type: 'ProjectDeleted', data: {} };
};

/** Appends `MemoryForgotten` for each memory, `ProjectDeleted` for each project, `TopicForgotten` for each topic, and erases what is known of it, in one step; the rows of a search module go right after it. Rejects with the raw Valkey error. */
export const forgetSubjects = async (
  redis: Redis,
  keys: Keys,
  catalogue: Catalogue<DomainEvent>,
  random: Random,
  forget: Forget,
): Promise<Appended | Refused> => {
  const scriptKeys = [
    keys.log,
    keys.erasures,
    keys.claims,
    keys.commandResult(forget.commandId),
    keys.counter(RECALL_COUNTERS.count),
    keys.counter(RECALL_COUNTERS.last),
    keys.restoring,
  ];
  const args: (string | Buffer)[] = ['', JSON.stringify(forget.result)];
  const writes = forget.subjects.map(({ subject, expected, deletes }) => {
    const event = encodeEvent(erasureOf(subject), forget, catalogue, random);
    return {
      k: scriptKeys.push(keys.payloads(subject)),
      s: args.push(subject),
      x: expected,
      ev: args.push(...event.args) - event.args.length + 1,
      d: withoutRows(keys, deletes).map((key) => scriptKeys.push(key)),
    };
  });
  args[0] = JSON.stringify({ t: RESULT_SECONDS, r: 2, w: writes });

  const [outcome, first, second] = (await runScript(redis, SCRIPT, scriptKeys, args)) as unknown[];
  switch (outcome) {
    case 'ok':
      await unlinkRows(
        redis,
        keys,
        forget.subjects.flatMap(({ deletes }) => deletes),
      );
      return { outcome: 'appended', events: madeEvents(JSON.parse(String(first)) as [number, string][]), result: forget.result };
    case 'repeat':
      return repeated(String(first));
    case 'version':
      return { outcome: 'version', subject: forget.subjects[Number(first)]?.subject ?? '', actual: Number(second) };
    default:
      throw new Error(`forget.lua answered ${String(outcome)}`);
  }
};
