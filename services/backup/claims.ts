import { catalogue, type DomainEvent } from '../../domain/catalogue.js';
import { isMemoryKey } from '../../domain/memory/key.js';
import { isLive, type Memory, memoryDecider } from '../../domain/memory/memory.js';
import { textClaim } from '../commands/claims.js';
import { decodePayload } from '../eventlog/payload.js';
import { factsOf, type RawEntry } from './entry.js';

/**
 * Works out who holds which text from the events themselves, in their order, for a moment whose claims no backup noted. The
 * rules are those of the commands: a text belongs to the first that said it, until it says something else, is archived or
 * forgotten; one that comes back from the archive takes its text again if nobody has it.
 */
export const createClaimWalker = (salt: string, isErased: (subject: string, n: number) => boolean) => {
  const holders = new Map<string, string>();
  const states = new Map<string, Memory>();

  const release = (subject: string, claim: string | undefined): void => {
    if (claim !== undefined && holders.get(claim) === subject) holders.delete(claim);
  };
  const claimOf = (memory: Memory): string | undefined =>
    isLive(memory) && memory.status !== 'archived' ? textClaim(salt, memory.namespace, memory.project, memory.content) : undefined;

  return {
    see: (entry: RawEntry): void => {
      const { subject, n } = factsOf(entry);
      if (subject === undefined || n === undefined || !isMemoryKey(subject) || entry.state !== 'p' || !entry.payload) return;
      if (isErased(subject, n)) return;
      const event = eventOf(entry.payload);
      if (!event) return;
      const before = states.get(subject) ?? memoryDecider.initialState();
      const after = memoryDecider.evolve(before, event as Parameters<typeof memoryDecider.evolve>[1]);
      states.set(subject, after);
      const [old, held] = [claimOf(before), claimOf(after)];
      if (old === held) return;
      release(subject, old);
      if (held !== undefined && !holders.has(held)) holders.set(held, subject);
    },
    /** Claims by subject, '' for a memory that holds none. */
    held: (): ReadonlyMap<string, string> => {
      const bySubject = new Map([...states.keys()].map((subject) => [subject, '']));
      for (const [claim, subject] of holders) bySubject.set(subject, claim);
      return bySubject;
    },
  };
};

/** The event behind a payload, or undefined when this program cannot read it. */
export const eventOf = (payload: Buffer): DomainEvent | undefined => {
  try {
    const { type, v, data } = decodePayload(payload);
    return catalogue.read(type, v, data);
  } catch {
    return undefined;
  }
};
