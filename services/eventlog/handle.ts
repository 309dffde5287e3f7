import type { Decider } from '../../domain/decider.js';
import { DomainError } from '../../domain/errors.js';
import type { AnyEvent } from '../../domain/event.js';
import type { Appended, CommandResult, SubjectWrite } from './append.js';
import type { EventLog } from './log.js';
import type { SubjectHistory } from './subject.js';
import { Turns } from './turns.js';

/** An aggregate as a command meets it. */
export type Loaded<State> = {
  readonly subject: string;
  readonly version: number;
  readonly state: State;
  readonly claims: readonly string[];
};

/** What a command decided on one subject, and what goes with it. */
export type Decision = Omit<SubjectWrite, 'expected'>;

/** `repeatable` says that the caller chose the id and may be repeating a call whose answer it lost. */
export type Stamped = {
  readonly repeatable?: boolean | undefined;
  readonly commandId: string;
  /** ULID that numbered batches of one action share. Default: the command id. */
  readonly correlation?: string | undefined;
  readonly actor: string;
  readonly at: string;
  readonly causation?: string;
};

const ATTEMPTS = 5;

export const stateOf = <State, Event extends AnyEvent>(
  { initialState, evolve }: Pick<Decider<State, never, Event>, 'initialState' | 'evolve'>,
  history: SubjectHistory,
): Loaded<State> => ({
  subject: history.subject,
  version: history.version,
  state: (history.events as unknown as readonly Event[]).reduce(evolve, initialState()),
  claims: history.claims,
});

const turnsOf = new WeakMap<EventLog, Turns>();

/**
 * The one way a command changes the world: load the subjects, decide, append with the versions that were seen; a subject
 * that was loaded and not written is a guard, since the decision rests on it. Only a
 * version conflict is retried, with a fresh load, at most five times; `claimed` is for the caller to answer.
 * An empty decision appends nothing. Commands of this process on the same subjects take turns.
 */
export const handleCommand = async <State>(
  log: EventLog,
  decider: Pick<Decider<State, never, never>, 'initialState' | 'evolve'>,
  subjects: readonly string[],
  stamp: Stamped,
  decide: (loaded: readonly Loaded<State>[]) => { readonly writes: readonly Decision[]; readonly result: CommandResult },
): Promise<{ readonly result: CommandResult; readonly appended: Appended | undefined } | { readonly claimedBy: string }> => {
  const turns = turnsOf.get(log) ?? new Turns();
  turnsOf.set(log, turns);
  return turns.take(subjects, () => decideAndAppend(log, decider, subjects, stamp, decide));
};

const decideAndAppend: typeof handleCommand = async (log, decider, subjects, stamp, decide) => {
  // The script would find the earlier result too, but a decision on the state it left may be to do nothing.
  const first = stamp.repeatable ? await log.firstAnswer(stamp.commandId) : undefined;
  if (first) return { result: first.result, appended: first };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const loaded = (await log.load(subjects)).map((history) => stateOf(decider, history));
    const { writes, result } = decide(loaded);
    const changing = writes.filter(({ events }) => events.length > 0);
    if (changing.length === 0) return { result, appended: undefined };
    const versions = new Map(loaded.map(({ subject, version }) => [subject, version]));
    const written = new Set(changing.map(({ subject }) => subject));
    const answer = await log.append({
      ...stamp,
      writes: changing.map((write) => ({ ...write, expected: versions.get(write.subject) ?? 0 })),
      guards: loaded.filter(({ subject }) => !written.has(subject)),
      result,
    });
    if (answer.outcome === 'appended' || answer.outcome === 'repeated') return { result: answer.result, appended: answer };
    if (answer.outcome === 'claimed') return { claimedBy: answer.holder };
  }
  throw new DomainError('CONFLICT', 'Others kept changing the same memory', 'Read it again and repeat the call if it is still wanted');
};
