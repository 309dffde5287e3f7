import type { Fact } from '../../domain/enrichment/facts.js';
import { isDue, type Source, sourceOf } from '../../domain/enrichment/source.js';
import type { Position } from '../../domain/envelope.js';
import { isLive, memoryDecider } from '../../domain/memory/memory.js';
import { counters, membersOf, sets } from '../../projections/counters.js';
import { withServing } from '../../projections/generation.js';
import { textClaim } from '../commands/claims.js';
import type { CommandParts } from '../commands/parts.js';
import type { Append, SubjectWrite } from '../eventlog/append.js';
import { stateOf } from '../eventlog/handle.js';
import { unavailableWhenDown } from '../valkey/errors.js';
import { type NewFact, type OldFact, siftFacts } from './enricher-facts.js';

export const ENRICHER = 'job:enricher';

/** Version conflicts and claims taken meanwhile after which a job is left for its next turn. */
const ATTEMPTS = 10;

export type Extraction = { readonly facts: readonly Fact[]; readonly skipped: number; readonly model: string };

/** `moved`: a source was revised, set aside, forgotten or finished by another meanwhile, so nothing was written. */
export type Published =
  | { readonly outcome: 'moved' }
  | { readonly outcome: 'published'; readonly facts: number; readonly position: Position };

/** The sources as they are now, when every one of them still has the text that was read and still waits; else undefined. */
export const stillDue = async (parts: CommandParts, read: readonly Source[]): Promise<readonly Source[] | undefined> => {
  const histories = await parts.log.load(read.map(({ key }) => key));
  const now = histories.flatMap((history) => sourceOf(history) ?? []);
  return now.length === read.length && now.every((source, i) => isDue(source) && source.of === read[i]?.of) ? now : undefined;
};

/**
 * Writes the facts of one answer of the model and the end of their sources' enrichment in one append, which is refused when
 * a source was touched, or anything in the store was forgotten, since its text was looked at; then it is looked at again.
 * Facts of an older wording that the new one does not repeat are archived with it.
 */
export const publishFacts = async (
  parts: CommandParts,
  read: readonly Source[],
  { facts, skipped, model }: Extraction,
  signal: AbortSignal,
): Promise<Published> => {
  const { log, random, now } = parts;
  const old = await oldFacts(parts, read);
  const sifted = await siftFacts(parts, read, facts, old, signal);
  let fresh = sifted.fresh;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    signal.throwIfAborted();
    const erasures = await log.erasures();
    const sources = await stillDue(parts, read);
    if (!sources) return { outcome: 'moved' };
    const left = skipped + sifted.skipped + sifted.fresh.length - fresh.length;
    const finished = (source: Source, i: number): SubjectWrite => ({
      subject: source.key,
      expected: source.version,
      events: [
        {
          type: 'EnrichmentFinished',
          data: {
            of: source.of,
            facts: factKeysOf(source.key, fresh, old, sifted.kept),
            model,
            // What was left out of the answer about a document is counted once, on its first chunk.
            skipped: i === 0 ? left : 0,
          },
        },
      ],
    });
    const going = await archivable(
      parts,
      old.filter(({ key }) => !sifted.kept.has(key)),
    );
    const append: Append = {
      commandId: random.ulid(now()),
      actor: ENRICHER,
      at: new Date(now()).toISOString(),
      erasures,
      writes: [...fresh.map((fact) => birthOf(fact, sources)), ...going.map(archived), ...sources.map(finished)],
      result: { facts: fresh.length },
    };
    const answer = await log.append(append);
    if ('events' in answer) return { outcome: 'published', facts: fresh.length, position: answer.events.at(-1)?.position ?? '' };
    // Somebody stored this very text meanwhile: the fact is known now.
    if (answer.outcome === 'claimed') fresh = fresh.filter(({ claim }) => claim !== answer.claim);
  }
  return { outcome: 'moved' };
};

const birthOf = ({ key, source, remembered, claim, claimed, vectors }: NewFact, sources: readonly Source[]): SubjectWrite => {
  // Tags and rights may have been changed while the model worked: a fact carries those of now.
  const memory = sources.find(({ key: one }) => one === source)?.memory;
  const { licence_note: _note, ...rest } = remembered;
  const current = memory && {
    tags: [...memory.tags],
    licence: memory.licence,
    provenance: memory.provenance,
    ...(memory.licence_note !== undefined && { licence_note: memory.licence_note }),
  };
  return {
    subject: key,
    expected: 0,
    events: [{ type: 'MemoryRemembered', data: { ...rest, ...current } }],
    claims: [{ claim, mode: claimed ? 'ifFree' : 'free' }],
    vectors,
  };
};

const archived = ({ key, version, claim }: OldFact): SubjectWrite => ({
  subject: key,
  expected: version,
  events: [{ type: 'MemoryArchived', data: { reason: 'Its source says something else now.' } }],
  release: [claim],
});

const factKeysOf = (source: string, fresh: readonly NewFact[], old: readonly OldFact[], kept: ReadonlySet<string>): string[] => [
  ...old.filter((fact) => fact.source === source && kept.has(fact.key)).map(({ key }) => key),
  ...fresh.filter((fact) => fact.source === source).map(({ key }) => key),
];

/** What was drawn from an older wording of these and is not archived. */
const oldFacts = async (parts: CommandParts, sources: readonly Source[]): Promise<readonly OldFact[]> => {
  const before = sources.filter(({ finishedOf }) => finishedOf !== undefined);
  if (before.length === 0) return [];
  await parts.fresh();
  const { redis, keys } = parts;
  const found = await unavailableWhenDown(() =>
    withServing(redis, keys, counters.name, (generation) =>
      Promise.all(before.map(({ key }) => membersOf(redis, keys, generation, sets.facts(key)))),
    ),
  );
  const named = before.flatMap(({ key }, i) => (found[i] ?? []).map((fact) => ({ key: fact, source: key, version: 0, claim: '' })));
  return archivable(parts, named);
};

/** Those that are active or deprioritised, at their present versions. */
const archivable = async (parts: CommandParts, facts: readonly OldFact[]): Promise<readonly OldFact[]> => {
  if (facts.length === 0) return [];
  const histories = await parts.log.load(facts.map(({ key }) => key));
  return histories.flatMap((history, i) => {
    const { state, version } = stateOf(memoryDecider, history);
    const fact = facts[i];
    if (!fact || !isLive(state) || state.status === 'archived') return [];
    return [{ ...fact, version, claim: textClaim(parts.log.salt, state.namespace, state.project, state.content) }];
  });
};
