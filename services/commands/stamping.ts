import { DomainError } from '../../domain/errors.js';
import { licenceForStamp } from '../../domain/licence.js';
import { isMemoryKey } from '../../domain/memory/key.js';
import { isLive, type LiveMemory, type MemoryCommand, memoryDecider } from '../../domain/memory/memory.js';
import { parseProvenance } from '../../domain/provenance.js';
import { LIMITS } from '../../domain/vocabulary.js';
import type { Call, SetLicenceInput, SetProvenanceInput, StampResult } from '../api.js';
import { handleCommand, stateOf } from '../eventlog/handle.js';
import { refuseContextKey } from './keys.js';
import { type CommandParts, stampOf, visibility } from './parts.js';
import { expectFree } from './retag.js';

/** Classifies memories' redistribution rights; whole documents and the facts drawn from them follow. */
export const setLicence = async (parts: CommandParts, input: SetLicenceInput, call: Call): Promise<StampResult> => {
  if (input.licence.trim() === '')
    throw new DomainError(
      'VALIDATION',
      'licence is empty',
      'Say own, open, restricted or unknown, or an identifier such as MIT or CC-BY-4.0',
    );
  const declared = licenceForStamp({ licence: 'unknown' }, input.licence, input.licence_note);
  const stamped = await stampAll(parts, input.keys, call, (memory) => {
    const { licence, note } = licenceForStamp(
      { licence: memory.licence, ...(memory.licence_note !== undefined && { note: memory.licence_note }) },
      input.licence,
      input.licence_note,
    );
    return { type: 'StampLicence', data: { licence, ...(note !== undefined && { licence_note: note }) } };
  });
  return { licence: declared.licence, ...(declared.note !== undefined && { licence_note: declared.note }), ...stamped };
};

/** Reclassifies who speaks in memories; whole documents and the facts drawn from them follow. */
export const setProvenance = async (parts: CommandParts, input: SetProvenanceInput, call: Call): Promise<StampResult> => {
  const provenance = parseProvenance(input.provenance);
  return { provenance, ...(await stampAll(parts, input.keys, call, () => ({ type: 'StampProvenance', data: { provenance } }))) };
};

const stampAll = async (
  parts: CommandParts,
  keys: readonly string[],
  call: Call,
  commandFor: (memory: LiveMemory) => MemoryCommand,
): Promise<StampResult> => {
  const { named, invalid } = parseStampKeys(keys);
  await parts.fresh();
  const documents = new Set(
    (await parts.log.load(named)).flatMap((history) => {
      const { state } = stateOf(memoryDecider, history);
      return isLive(state) && state.doc_id !== undefined ? [`${state.namespace}:${state.doc_id}`] : [];
    }),
  );
  const siblings = await parts.documentMembers([...documents]);
  const unit = new Set([...named, ...siblings]);
  const facts = [...parts.index.documents.values()]
    .filter(({ enrichedFrom }) => enrichedFrom !== undefined && unit.has(enrichedFrom))
    .map(({ key }) => key);
  const all = [...new Set([...unit, ...facts])];
  const { result, appended } = expectFree(
    await handleCommand(parts.log, memoryDecider, all, stampOf(parts, call), (memories) => {
      const live = memories.filter(({ state }) => isLive(state));
      const liveKeys = new Set(live.map(({ subject }) => subject));
      return {
        writes: live.map(({ subject, state }) => ({
          subject,
          events: isLive(state) ? memoryDecider.decide(commandFor(state), state) : [],
        })),
        // Kept for a day, so it holds keys only: what is no key may be any text.
        result: {
          classified: [...unit].filter((key) => liveKeys.has(key)).length,
          cascaded: facts.filter((key) => liveKeys.has(key) && !unit.has(key)).length,
          not_found: named.filter((key) => !liveKeys.has(key)),
        },
      };
    }),
  );
  const { not_found, ...stamped } = result as unknown as StampResult;
  return { ...stamped, not_found: [...invalid, ...not_found], ...(await visibility(parts, appended)) };
};

const parseStampKeys = (keys: readonly string[]): { readonly named: readonly string[]; readonly invalid: readonly string[] } => {
  if (keys.length === 0 || keys.length > LIMITS.stampKeys) {
    throw new DomainError(
      'VALIDATION',
      `${keys.length} keys were given; 1 to ${LIMITS.stampKeys} are allowed`,
      'Call several times for more',
    );
  }
  if (keys.some((key) => key.startsWith('mem:skill:'))) {
    throw new DomainError('VALIDATION', 'Compiled skills carry no licence and no provenance', 'Classify the sources instead');
  }
  const distinct = [...new Set(keys.map((key) => key.trim()))];
  for (const key of distinct) refuseContextKey(key);
  const named = distinct.filter(isMemoryKey);
  if (named.length === 0)
    throw new DomainError('VALIDATION', 'None of these is a memory key', 'Pass keys that recall shows, such as mem:episodic:01J…');
  return { named, invalid: distinct.filter((key) => !isMemoryKey(key)) };
};
