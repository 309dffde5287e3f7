import { DomainError } from '../../../domain/errors.js';
import { type Side, sideDecider } from '../../../domain/maintenance/side.js';
import type { MemoryEvent } from '../../../domain/memory/events.js';
import { isLive } from '../../../domain/memory/memory.js';
import { systemSubject } from '../../../domain/system/events.js';
import type { Appended, CommandResult, SubjectWrite } from '../../eventlog/append.js';
import { type Stamped, stateOf } from '../../eventlog/handle.js';
import { textClaim } from '../claims.js';
import { type Found, flagAll } from '../contradictions/flag.js';
import type { CommandParts } from '../parts.js';
import { type Duplicate, stillNeedless } from './duplicates.js';
import type { Expired, Plan } from './plan.js';

/** What a run did. */
export type CarriedOut = {
  readonly contradictions: readonly Found[];
  readonly duplicates: readonly Duplicate[];
  readonly expired: readonly Expired[];
  readonly appended: Appended | undefined;
};

export type CarryOutOptions = {
  readonly project: string | undefined;
  readonly stamp: Stamped;
  /** Whether a run that changed nothing is recorded, too. */
  readonly always: boolean;
  /** What the same command answers when it is met again. */
  readonly answer: (done: Omit<CarriedOut, 'appended'>) => CommandResult;
};

const ATTEMPTS = 5;

/**
 * Does what was planned in one append, with the record of it, as far as it still holds on a fresh load: every memory that a
 * decision rests on is a guard, so the last copy of a text is never archived. Throws CONFLICT, UNAVAILABLE.
 */
export const carryOut = async (
  parts: CommandParts,
  plan: Plan,
  { project, stamp, always, answer }: CarryOutOptions,
): Promise<CarriedOut> => {
  const subjects = subjectsOf(plan);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const loaded = new Map((await parts.log.load(subjects)).map((history) => [history.subject, stateOf(sideDecider, history)]));
    const decided = decide(parts, plan, new Map([...loaded].map(([key, { state }]) => [key, state])));
    const { contradictions, duplicates, expired } = decided;
    if (decided.writes.length === 0 && !always) return { contradictions, duplicates, expired, appended: undefined };
    const written = new Set(decided.writes.map(({ subject }) => subject));
    const outcome = await parts.log.append({
      ...stamp,
      writes: [
        ...decided.writes.map((write) => ({ ...write, expected: loaded.get(write.subject)?.version ?? 0 })),
        recordOf(stamp.at, project, decided, plan.left),
      ],
      guards: [...loaded.values()].filter(({ subject }) => !written.has(subject)).map(({ subject, version }) => ({ subject, version })),
      result: answer({ contradictions, duplicates, expired }),
    });
    if (outcome.outcome === 'appended' || outcome.outcome === 'repeated') return { contradictions, duplicates, expired, appended: outcome };
  }
  throw new DomainError('CONFLICT', 'Others kept changing the same memories; nothing was changed', 'Run maintenance again later');
};

const subjectsOf = ({ contradictions, duplicates, expired }: Plan): readonly string[] => [
  ...new Set([
    ...contradictions.flatMap(({ a, b }) => [a.key, b.key]),
    ...duplicates.flatMap(({ older, kept }) => [older.key, kept.key]),
    ...expired.map(({ key }) => key),
  ]),
];

type Decided = Omit<CarriedOut, 'appended'> & { readonly writes: readonly Omit<SubjectWrite, 'expected'>[] };

const decide = (parts: CommandParts, plan: Plan, sides: ReadonlyMap<string, Side>): Decided => {
  const { events, standing } = flagAll(plan.contradictions, sides);
  const duplicates = plan.duplicates.filter((pair) => stillNeedless(pair, sides));
  const expired = plan.expired.filter(({ key }) => {
    const memory = sides.get(key)?.memory;
    return memory && isLive(memory) && memory.status !== 'archived';
  });
  return {
    contradictions: standing,
    duplicates,
    expired,
    writes: [
      ...[...events].filter(([, made]) => made.length > 0).map(([subject, made]) => ({ subject, events: made })),
      ...duplicates.map(({ older, kept }) => archived(parts, sides, older.key, `A newer memory says the same: ${kept.key}.`)),
      ...expired.map(({ key, expiresAt }) => archived(parts, sides, key, `It expired on ${new Date(expiresAt).toISOString()}.`)),
    ],
  };
};

/** An archived text may be remembered anew, so its claim is free. */
const archived = ({ log }: CommandParts, sides: ReadonlyMap<string, Side>, key: string, reason: string): Omit<SubjectWrite, 'expected'> => {
  const memory = sides.get(key)?.memory;
  const event: MemoryEvent = { type: 'MemoryArchived', data: { reason } };
  return {
    subject: key,
    events: [event],
    ...(memory && isLive(memory) && { release: [textClaim(log.salt, memory.namespace, memory.project, memory.content)] }),
  };
};

const recordOf = (
  at: string,
  project: string | undefined,
  { contradictions, duplicates, expired }: Decided,
  left: number,
): SubjectWrite => ({
  subject: systemSubject(at),
  expected: 'any',
  events: [
    {
      type: 'MaintenanceRan',
      data: {
        ...(project !== undefined && { project }),
        duplicates_archived: duplicates.map(({ older }) => older.key),
        contradictions_found: contradictions.map(({ a, b }) => [a.key, b.key]),
        knowledge_expired: expired.map(({ key }) => key),
        left,
      },
    },
  ],
});
