import { HARD_WORK } from '../../domain/memory/experience.js';
import { isLive, type LiveMemory, type MemoryCommand, memoryDecider } from '../../domain/memory/memory.js';
import { surfaceScore } from '../../domain/scoring.js';
import type { State } from '../../domain/vocabulary.js';
import type { ArchiveInput, Call, DeprioritiseInput, LifecycleResult, ReinstateInput, Transition } from '../api.js';
import { type Decision, handleCommand } from '../eventlog/handle.js';
import { saying } from '../queries/matches.js';
import { textClaim } from './claims.js';
import { isKey, parseKey } from './keys.js';
import { type CommandParts, notes, stampOf, visibility } from './parts.js';
import { parseHints, parseOptionalReason, parseReason } from './reasons.js';
import { expectFree } from './retag.js';

/** Lowers a memory's weight in recall, with a reason and with hints that bring it back. */
export const deprioritise = async (parts: CommandParts, input: DeprioritiseInput, call: Call): Promise<LifecycleResult> => {
  const reason = parseReason(input.reason);
  const reinstate_hints = parseHints(input.reinstate_hints ?? []);
  return change(parts, input.key_or_query, call, {
    command: { type: 'DeprioritiseMemory', data: { reason, reinstate_hints } },
    to: 'deprioritised',
    applies: ({ status }) => status === 'active',
  });
};

/** Takes a memory out of recall; it stays readable and can come back. */
export const archive = async (parts: CommandParts, input: ArchiveInput, call: Call): Promise<LifecycleResult> => {
  const reason = parseOptionalReason(input.reason);
  return change(parts, input.key_or_query, call, {
    command: { type: 'ArchiveMemory', data: reason === undefined ? {} : { reason } },
    to: 'archived',
    applies: ({ status }) => status !== 'archived',
  });
};

/** Makes a deprioritised or archived memory active again. */
export const reinstate = async (parts: CommandParts, input: ReinstateInput, call: Call): Promise<LifecycleResult> =>
  withDeadEnds(
    parts,
    await change(parts, input.key_or_query, call, {
      command: { type: 'ReinstateMemory', data: {} },
      to: 'active',
      applies: ({ status }) => status !== 'active',
      anyOfTheBest: true,
    }),
  );

const NAMED = 5;

/** Names the dead ends of what came back: they warn as before. Names are read here, since an answer is kept for a day and holds no text. */
const withDeadEnds = ({ index }: CommandParts, answer: LifecycleResult): LifecycleResult => {
  const carriers = answer.affected.filter(({ key }) => (index.documents.get(key)?.abandoned ?? []).length > 0);
  if (carriers.length === 0) return answer;
  const named = new Set(carriers.flatMap(({ key }) => (index.documents.get(key)?.abandoned ?? []).map(({ name }) => name)));
  const more = named.size > NAMED ? ` and ${named.size - NAMED} more` : '';
  const names = `${[...named].slice(0, NAMED).join(', ')}${more}`;
  const lift = `Still a dead end here, and warned of as before: ${names}. If it works again, call log_abandoned with lift: true, that name and the reason why.`;
  return { ...answer, ...notes(answer.note, lift) };
};

type Change = {
  readonly command: MemoryCommand;
  readonly to: State;
  /** Which matches of a query the change is for. A key is always meant. */
  readonly applies: (memory: LiveMemory) => boolean;
  /** Reinstating asks for no confidence, since what it looks for ranks low by design. */
  readonly anyOfTheBest?: boolean;
};

const change = async (parts: CommandParts, keyOrQuery: string, call: Call, change: Change): Promise<LifecycleResult> => {
  const byKey = isKey(keyOrQuery);
  const stamp = stampOf(parts, call);
  // What the first call changed may no longer match its query.
  const first = stamp.repeatable && !byKey ? await parts.log.firstAnswer(stamp.commandId) : undefined;
  if (first) return { ...(first.result as unknown as LifecycleResult), ...(await visibility(parts, first)) };
  const keys = byKey ? [parseKey(keyOrQuery)] : await matching(parts, keyOrQuery, change.anyOfTheBest ?? false);
  if (keys.length === 0) return { affected: [], note: NO_MATCH };
  const { result, appended } = expectFree(
    await handleCommand(parts.log, memoryDecider, keys, stamp, (memories) => {
      const writes: Decision[] = [];
      const affected: Transition[] = [];
      for (const { subject, state } of memories) {
        if (!byKey && !(isLive(state) && change.applies(state))) continue;
        const events = memoryDecider.decide(change.command, state);
        if (!isLive(state)) continue;
        writes.push({ subject, events, ...claimChange(parts.log.salt, state, change.to) });
        affected.push({
          key: subject,
          previous_state: state.status,
          new_state: change.to,
          surface_score: surfaceScore(change.to, state.enriched_from !== undefined, parts.deprioritisedWeight),
          ...(change.to === 'deprioritised' && hardWon(state)),
        });
      }
      return { writes, result: { affected } };
    }),
  );
  const { affected } = result as unknown as LifecycleResult;
  return { affected, ...(affected.length === 0 && { note: NO_MATCH }), ...(await visibility(parts, appended)) };
};

const hardWon = ({ experience: { effort_score = 0 } }: LiveMemory): Pick<Transition, 'warning'> =>
  effort_score < HARD_WORK
    ? {}
    : {
        warning: `This memory has an effort score of ${effort_score}: what it tells was hard won. Archive it instead if it is to be out of the way; it then stays whole and its dead ends still warn.`,
      };

const NO_MATCH = 'Nothing was changed: no such memory says what these words say and no more. Call recall_index and pass the key.';

const matching = async (parts: CommandParts, query: string, anyOfTheBest: boolean): Promise<string[]> => {
  const best = await parts.bestMatches(query, anyOfTheBest);
  const says = saying(best);
  const wanted = anyOfTheBest && !says.some(({ meant }) => meant === 'identical') ? best : says;
  return wanted.map(({ key }) => key);
};

/** An archived text may be remembered anew, so its claim is free; coming back it takes it again unless it is held by now. */
const claimChange = (
  salt: string,
  { namespace, project, content, status }: LiveMemory,
  to: State,
): Pick<Decision, 'claims' | 'release'> => {
  const claim = textClaim(salt, namespace, project, content);
  if (to === 'archived') return { release: [claim] };
  return status === 'archived' ? { claims: [{ claim, mode: 'ifFree' }] } : {};
};
