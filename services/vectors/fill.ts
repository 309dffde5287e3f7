import type { Redis } from 'iovalkey';
import { memoryDecider } from '../../domain/memory/memory.js';
import { projectOf } from '../../domain/project/key.js';
import { projectDecider } from '../../domain/project/project.js';
import { contextText } from '../../domain/project/text.js';
import type { Keys } from '../../projections/keys.js';
import { packVectors } from '../../projections/recall/vector-cache.js';
import { loadScript, runScript } from '../../projections/scripts.js';
import type { Embedder } from '../embedding/port.js';
import { SETS_CONTENT } from '../eventlog/encode.js';
import { stateOf } from '../eventlog/handle.js';
import type { EventLog } from '../eventlog/log.js';
import type { SubjectHistory } from '../eventlog/subject.js';
import { unavailableWhenDown } from '../valkey/errors.js';

const SCRIPT = loadScript('services/vectors/fill.lua');
const ANNOUNCEMENTS_KEPT = 100_000;

export type Filled = { readonly memories: readonly string[]; readonly stored: number };

/** Embeds the present text of these memories and stores the vectors. Forgotten ones are passed over. Throws UNAVAILABLE. */
export const fillVectors = async (
  parts: { readonly log: EventLog; readonly redis: Redis; readonly keys: Keys },
  embedder: Embedder,
  memories: readonly string[],
  signal: AbortSignal,
): Promise<Filled> => {
  const { log, redis, keys } = parts;
  const texts = (await log.load(memories)).flatMap((history) => {
    const content = presentText(history);
    if (content === undefined) return [];
    const version = history.events.findLast(({ type }) => SETS_CONTENT.has(type))?.n ?? 0;
    return [{ memory: history.subject, version, content }];
  });
  if (texts.length === 0) return { memories: [], stored: 0 };
  const vectors = await embedder.embed(
    texts.map(({ content }) => content),
    { signal },
  );
  await rememberModel(redis, keys, embedder.identity.id);
  const stored = await unavailableWhenDown(() =>
    runScript(
      redis,
      SCRIPT,
      [keys.vectors, ...texts.flatMap(({ memory }) => [keys.payloads(memory), keys.embedding(embedder.identity.id, memory)])],
      [
        embedder.identity.id,
        ANNOUNCEMENTS_KEPT,
        ...texts.flatMap(({ memory, version }, i) => [memory, version, packVectors(vectors[i] ?? [])]),
      ],
    ),
  );
  return { memories: texts.map(({ memory }) => memory), stored: Number(stored) };
};

/** What recall finds the subject by: a memory's text, or that of a project's context. */
const presentText = (history: SubjectHistory): string | undefined => {
  const project = projectOf(history.subject);
  if (project !== undefined) {
    const { context } = stateOf(projectDecider, history).state;
    return context && contextText(project, context);
  }
  const { state } = stateOf(memoryDecider, history);
  return 'content' in state ? state.content : undefined;
};

const known = new WeakMap<Redis, Set<string>>();

/** Notes a model id before its first vector is stored, so that forgetting finds every vector. */
export const rememberModel = async (redis: Redis, keys: Keys, model: string): Promise<void> => {
  const noted = known.get(redis) ?? new Set();
  if (noted.has(keys.prefix + model)) return;
  await unavailableWhenDown(() => redis.sadd(keys.models, model));
  known.set(redis, noted.add(keys.prefix + model));
};
