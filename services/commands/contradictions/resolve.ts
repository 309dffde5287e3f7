import { DomainError } from '../../../domain/errors.js';
import { type Member, resolvePair } from '../../../domain/maintenance/pairs.js';
import { sideDecider } from '../../../domain/maintenance/side.js';
import { isLive } from '../../../domain/memory/memory.js';
import type { Call, ResolveContradictionInput, ResolveContradictionResult } from '../../api.js';
import { handleCommand } from '../../eventlog/handle.js';
import { parseKey } from '../keys.js';
import { type CommandParts, stampOf, visibility } from '../parts.js';
import { parseOptionalReason } from '../reasons.js';
import { expectFree } from '../retag.js';

const BOTH = 'both';

/**
 * Settles a contradiction on both memories; the one that does not hold is deprioritised in the same action. Throws VALIDATION,
 * NOT_FOUND when one of the two is gone, CONFLICT when the pair is not flagged.
 */
export const resolveContradiction = async (
  parts: CommandParts,
  input: ResolveContradictionInput,
  call: Call,
): Promise<ResolveContradictionResult> => {
  const [key_a, key_b] = [parseKey(input.key_a), parseKey(input.key_b)];
  if (key_a === key_b) throw new DomainError('VALIDATION', 'key_a and key_b are one memory', 'Pass the two keys of the pair');
  const keep = parseKeep(input.keep, [key_a, key_b]);
  const note = parseOptionalReason(input.note);
  const { result, appended } = expectFree(
    await handleCommand(parts.log, sideDecider, [key_a, key_b], stampOf(parts, call), (loaded) => {
      const [a, b] = loaded.map(({ subject, state }): Member => ({ key: subject, side: state }));
      if (!a || !b) throw new Error('two memories were loaded');
      const [ofA, ofB] = resolvePair(a, b, { keep, note, deprioritise: input.deprioritise !== false });
      const lowered = [ofA, ofB].findIndex((events) => events.some(({ type }) => type === 'MemoryDeprioritised'));
      const hidden = [a, b].find(({ key, side }) => key === keep && isLive(side.memory) && side.memory.status !== 'active');
      return {
        writes: [
          { subject: key_a, events: ofA },
          { subject: key_b, events: ofB },
        ],
        result: {
          status: 'resolved',
          key_a,
          key_b,
          kept: keep ?? BOTH,
          ...(lowered >= 0 && { deprioritised: lowered === 0 ? key_a : key_b }),
          ...(hidden && { note: `${hidden.key} holds, yet it is set aside; reinstate brings it back.` }),
        },
      };
    }),
  );
  return { ...(result as unknown as ResolveContradictionResult), ...(await visibility(parts, appended)) };
};

/** Undefined: both hold. */
const parseKeep = (text: string | undefined, pair: readonly string[]): string | undefined => {
  const keep = text?.trim();
  if (keep === undefined || keep === '' || keep.toLowerCase() === BOTH) return undefined;
  if (pair.includes(keep)) return keep;
  throw new DomainError('VALIDATION', 'keep is neither of the two keys', `Pass one of them, or ${BOTH} when both hold`);
};
