import { DomainError } from '../../domain/errors.js';
import { settledByRevision } from '../../domain/maintenance/revised.js';
import { isLive, type Memory, memoryDecider } from '../../domain/memory/memory.js';
import type { Call, ReviseInput, ReviseResult } from '../api.js';
import { handleCommand, stateOf } from '../eventlog/handle.js';
import { textClaim } from './claims.js';
import { embedForWrite, vectorsOf } from './embed.js';
import { ownText } from './intake.js';
import { parseKey } from './keys.js';
import { type CommandParts, stampOf, visibility } from './parts.js';
import { parseOptionalReason } from './reasons.js';
import { refuseSecrets } from './secrets.js';

/**
 * Gives a memory a new wording. The old one stays in its timeline; recall finds the new one. Open contradictions that the rules
 * find no more are settled on both memories in the same action.
 */
export const revise = async (parts: CommandParts, input: ReviseInput, call: Call): Promise<ReviseResult> => {
  const { log } = parts;
  const key = parseKey(input.key);
  const { content } = ownText(input.content);
  if (input.force !== true) refuseSecrets(content);
  const reason = parseOptionalReason(input.reason);
  const embedded = await embedForWrite(parts, [content], call.signal);
  if (embedded.state === 'stored') await parts.noteModel(embedded.embedder.identity.id);
  const subjects = [key, ...(await contradictedBy(parts, key))];
  const outcome = await handleCommand(log, memoryDecider, subjects, stampOf(parts, call), ([memory, ...others]) => {
    const state = memory?.state ?? memoryDecider.initialState();
    const events = memoryDecider.decide({ type: 'ReviseMemory', data: { content, ...(reason !== undefined && { reason }) } }, state);
    const otherStates = new Map(others.map((other) => [other.subject, other.state]));
    const revised = events.reduce(memoryDecider.evolve, state);
    const settled = settledByRevision(key, revised, events.length > 0 ? otherStates : new Map<string, Memory>());
    const settledWith = [...otherStates.keys()].filter((other) => settled.has(other));
    const claim = (text: string) => (isLive(state) ? [textClaim(log.salt, state.namespace, state.project, text)] : []);
    return {
      writes: [
        {
          subject: key,
          events: [...events, ...(settled.get(key) ?? [])],
          claims: claim(content).map((wanted) => ({ claim: wanted, mode: 'free' as const })),
          release: isLive(state) ? claim(state.content).filter((old) => !claim(content).includes(old)) : [],
          vectors: vectorsOf(embedded, 0),
        },
        ...settledWith.map((other) => ({ subject: other, events: settled.get(other) ?? [] })),
      ],
      result: {
        status: events.length > 0 ? 'revised' : 'unchanged',
        key,
        ...(settledWith.length > 0 && { contradictions_settled: settledWith }),
      },
    };
  });
  if ('claimedBy' in outcome) {
    throw new DomainError(
      'CONFLICT',
      `Another memory says exactly this: ${outcome.claimedBy}`,
      'Nothing was changed. Archive or deprioritise this one instead, or use other words',
    );
  }
  const { status, contradictions_settled } = outcome.result as Pick<ReviseResult, 'status' | 'contradictions_settled'>;
  return {
    status,
    key,
    ...(status === 'revised' && { embedding: embedded.state }),
    ...(contradictions_settled && { contradictions_settled }),
    ...(await visibility(parts, outcome.appended)),
  };
};

/** Keys of the memories that it contradicts by now; one that is flagged later stays flagged. */
const contradictedBy = async ({ log }: CommandParts, key: string): Promise<readonly string[]> => {
  const [history] = await log.load([key]);
  const memory = history && stateOf(memoryDecider, history).state;
  return memory && isLive(memory) ? [...memory.contradictions.keys()] : [];
};
