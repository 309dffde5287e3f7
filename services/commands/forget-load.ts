import { erases } from '../../domain/erasure.js';
import { isDomainError } from '../../domain/errors.js';
import { isLive, type Memory, memoryDecider } from '../../domain/memory/memory.js';
import { projectOf } from '../../domain/project/key.js';
import { projectDecider } from '../../domain/project/project.js';
import { isTopicSubject } from '../../domain/topic/topic.js';
import { type Needle, needlesOf } from '../erasure/needles.js';
import { stateOf } from '../eventlog/handle.js';
import type { SubjectHistory } from '../eventlog/subject.js';
import type { CommandParts } from './parts.js';

/** A project or topic of which something is recorded. */
type Recorded = { readonly status: 'recorded' };

/** A memory, project or topic that may be erased. One whose stored bytes cannot be read can be erased all the same. */
export type Candidate = {
  readonly key: string;
  readonly version: number;
  /** The version that set its present text; undefined without one that can be read. */
  readonly textVersion?: number | undefined;
  readonly state: Memory | Recorded | { readonly status: 'damaged' };
  /** Pieces of everything that it ever said, made when they are asked for. */
  readonly pieces: () => readonly Needle[];
};

const SETS_TEXT: ReadonlySet<string> = new Set(['MemoryRemembered', 'MemoryRevised']);

const standing = (history: SubjectHistory): Candidate['state'] => {
  if (isTopicSubject(history.subject)) {
    return { status: history.events.length === 0 || erases(history.events.at(-1)?.type) ? 'absent' : 'recorded' };
  }
  if (projectOf(history.subject) === undefined) return stateOf(memoryDecider, history).state;
  const { state } = stateOf(projectDecider, history);
  return projectDecider.decide({ type: 'DeleteProject', data: {} }, state).length > 0 ? { status: 'recorded' } : { status: 'absent' };
};

/** In the order given. */
export const candidates = async (
  parts: Pick<CommandParts, 'log' | 'versionOf'>,
  keys: readonly string[],
): Promise<readonly Candidate[]> => {
  try {
    return (await parts.log.load(keys)).map((history) => ({
      key: history.subject,
      version: history.version,
      textVersion: history.events.findLast(({ type }) => SETS_TEXT.has(type))?.n,
      state: standing(history),
      pieces: () => needlesOf(history.subject, history.events),
    }));
  } catch (error) {
    if (!isDomainError(error, 'INTERNAL')) throw error;
    const [only] = keys;
    if (keys.length === 1 && only !== undefined)
      return [{ key: only, version: await parts.versionOf(only), state: { status: 'damaged' }, pieces: () => [] }];
    return (await Promise.all(keys.map((key) => candidates(parts, [key])))).flat();
  }
};

/** Pieces of everything that these ever said. */
export const piecesOf = async (parts: CommandParts, keys: readonly string[]): Promise<readonly Needle[]> =>
  (await candidates(parts, keys)).flatMap((candidate) => candidate.pieces());

export const isThere = ({ state }: Candidate): boolean => state.status === 'damaged' || state.status === 'recorded' || isLive(state);
