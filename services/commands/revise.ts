import { DomainError } from '../../domain/errors.js';
import { isLive, memoryDecider } from '../../domain/memory/memory.js';
import type { Call, ReviseInput, ReviseResult } from '../api.js';
import { handleCommand } from '../eventlog/handle.js';
import { textClaim } from './claims.js';
import { embedForWrite, vectorsOf } from './embed.js';
import { ownText, refuseSecrets } from './intake.js';
import { parseKey } from './keys.js';
import { type CommandParts, stampOf, visibility } from './parts.js';
import { parseOptionalReason } from './reasons.js';

/** Gives a memory a new wording. The old one stays in its timeline; recall finds the new one. */
export const revise = async (parts: CommandParts, input: ReviseInput, call: Call): Promise<ReviseResult> => {
  const { log } = parts;
  const key = parseKey(input.key);
  const { content } = ownText(input.content);
  if (input.force !== true) refuseSecrets(content);
  const reason = parseOptionalReason(input.reason);
  const embedded = await embedForWrite(parts, [content], call.signal);
  if (embedded.state === 'stored') await parts.noteModel(embedded.embedder.identity.id);
  const outcome = await handleCommand(log, memoryDecider, [key], stampOf(parts, call), ([memory]) => {
    const state = memory?.state ?? memoryDecider.initialState();
    const events = memoryDecider.decide({ type: 'ReviseMemory', data: { content, ...(reason !== undefined && { reason }) } }, state);
    const claim = (text: string) => (isLive(state) ? [textClaim(log.salt, state.namespace, state.project, text)] : []);
    return {
      writes: [
        {
          subject: key,
          events,
          claims: claim(content).map((wanted) => ({ claim: wanted, mode: 'free' as const })),
          release: isLive(state) ? claim(state.content).filter((old) => !claim(content).includes(old)) : [],
          vectors: vectorsOf(embedded, 0),
        },
      ],
      result: { status: events.length > 0 ? 'revised' : 'unchanged', key },
    };
  });
  if ('claimedBy' in outcome) {
    throw new DomainError(
      'CONFLICT',
      `Another memory says exactly this: ${outcome.claimedBy}`,
      'Nothing was changed. Archive or deprioritise this one instead, or use other words',
    );
  }
  const { status } = outcome.result as Pick<ReviseResult, 'status'>;
  return { status, key, ...(status === 'revised' && { embedding: embedded.state }), ...(await visibility(parts, outcome.appended)) };
};
