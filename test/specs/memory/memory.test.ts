import { describe, it } from 'vitest';
import type { MemoryEvent, Remembered } from '../../../domain/memory/events.js';
import { type MemoryCommand, memoryDecider } from '../../../domain/memory/memory.js';
import { specFor } from '../../support/spec.js';

const given = specFor(memoryDecider);

const facts: Remembered = {
  namespace: 'knowledge',
  content: 'Orders are kept for 90 days.',
  tags: ['orders', 'retention'],
  project: 'billing-api',
  mode: 'full',
  licence: 'unknown',
  licence_note: 'seen on a wiki',
  provenance: 'retrieved',
  doc_id: 'doc-1',
  enriched_from: 'mem:episodic:01JTAAAAAAAAAAAAAAAAAAAAAA',
};
const remember: MemoryCommand = { type: 'RememberMemory', data: facts };
const revise = (content: string, reason?: string): MemoryCommand => ({ type: 'ReviseMemory', data: { content, reason } });
const retag = (data: Extract<MemoryCommand, { type: 'RetagMemory' }>['data']): MemoryCommand => ({ type: 'RetagMemory', data });
const deprioritise = (reason: string, ...reinstate_hints: string[]): MemoryCommand => ({
  type: 'DeprioritiseMemory',
  data: { reason, reinstate_hints },
});
const archive = (reason?: string): MemoryCommand => ({ type: 'ArchiveMemory', data: { reason } });
const reinstate: MemoryCommand = { type: 'ReinstateMemory', data: {} };
const forget: MemoryCommand = { type: 'ForgetMemory', data: {} };
const stampLicence = (licence: 'own' | 'open' | 'unknown', licence_note?: string): MemoryCommand => ({
  type: 'StampLicence',
  data: { licence, licence_note },
});
const stampProvenance = (provenance: 'retrieved' | 'asserted'): MemoryCommand => ({ type: 'StampProvenance', data: { provenance } });

const remembered: MemoryEvent = { type: 'MemoryRemembered', data: facts };
const revised = (content: string, reason?: string): MemoryEvent => ({ type: 'MemoryRevised', data: { content, reason } });
const retagged = (tags: string[], previous_tags = facts.tags): MemoryEvent => ({ type: 'MemoryRetagged', data: { tags, previous_tags } });
const deprioritised = (reason: string, ...reinstate_hints: string[]): MemoryEvent => ({
  type: 'MemoryDeprioritised',
  data: { reason, reinstate_hints },
});
const archived = (reason?: string): MemoryEvent => ({ type: 'MemoryArchived', data: { reason } });
const reinstated: MemoryEvent = { type: 'MemoryReinstated', data: {} };
const forgotten: MemoryEvent = { type: 'MemoryForgotten', data: {} };
const licensed: MemoryEvent = { type: 'LicenceStamped', data: { licence: 'open', licence_note: 'MIT', previous: 'unknown' } };
const asserted: MemoryEvent = { type: 'ProvenanceStamped', data: { provenance: 'asserted', previous: 'retrieved' } };

const needsAMemory: readonly MemoryCommand[] = [
  revise('x'),
  retag({ tags: ['x'] }),
  deprioritise('x'),
  archive(),
  reinstate,
  stampLicence('own'),
  stampProvenance('asserted'),
];

const active = {
  status: 'active',
  namespace: 'knowledge',
  content: facts.content,
  tags: facts.tags,
  project: 'billing-api',
  reason: undefined,
  reinstate_hints: [],
  licence: 'unknown',
  licence_note: 'seen on a wiki',
  provenance: 'retrieved',
  doc_id: 'doc-1',
  enriched_from: facts.enriched_from,
  experience: { abandoned_approaches: [] },
  contradictions: new Map(),
};

describe('a memory that does not exist', () => {
  it('is remembered', () => given().when(remember).then(remembered));
  it('is found by no command', () => {
    for (const command of [...needsAMemory, forget]) given().when(command).thenThrows('NOT_FOUND');
  });
});

describe('an active memory', () => {
  it('is what was remembered', () => given(remembered).thenState(active));
  it('cannot be remembered under the same key', () => given(remembered).when(remember).thenThrows('CONFLICT'));

  it('is revised', () => given(remembered).when(revise('It is 30 days.', 'new law')).then(revised('It is 30 days.', 'new law')));
  it('is not revised to the same text', () => given(remembered).when(revise(facts.content, 'again')).then());
  it('has the new text afterwards', () => given(remembered, revised('It is 30 days.')).thenState({ ...active, content: 'It is 30 days.' }));
  it('may be revised back', () => given(remembered, revised('b')).when(revise(facts.content)).then(revised(facts.content)));

  it('gets other tags', () =>
    given(remembered)
      .when(retag({ tags: ['law'] }))
      .then(retagged(['law'])));
  it('loses all tags', () =>
    given(remembered)
      .when(retag({ tags: [] }))
      .then(retagged([])));
  it('gains and loses tags', () =>
    given(remembered)
      .when(retag({ add: ['law'], remove: ['orders'] }))
      .then(retagged(['retention', 'law'])));
  it('is not retagged with what it has', () =>
    given(remembered)
      .when(retag({ tags: facts.tags }))
      .then());
  it('is not retagged when nothing is added', () =>
    given(remembered)
      .when(retag({ add: ['orders'] }))
      .then());
  it('names the tags before as they last were', () =>
    given(remembered, retagged(['a']))
      .when(retag({ add: ['b'] }))
      .then(retagged(['a', 'b'], ['a'])));
  it('has the new tags afterwards', () => given(remembered, retagged(['a'])).thenState({ ...active, tags: ['a'] }));
  it('refuses an edit of nothing', () => given(remembered).when(retag({})).thenThrows('VALIDATION'));
  it('refuses two ways of editing at once', () =>
    given(remembered)
      .when(retag({ tags: [], add: ['a'] }))
      .thenThrows('VALIDATION'));
  it('refuses a 21st tag', () =>
    given(remembered)
      .when(retag({ add: Array.from({ length: 19 }, (_, i) => `t${i}`) }))
      .thenThrows('VALIDATION'));

  it('is deprioritised', () => given(remembered).when(deprioritise('stale', 'orders')).then(deprioritised('stale', 'orders')));
  it('is archived', () => given(remembered).when(archive('done')).then(archived('done')));
  it('needs no reinstating', () => given(remembered).when(reinstate).then());
  it('is forgotten', () => given(remembered).when(forget).then(forgotten));

  it('gets a licence, and the one before is on record', () => given(remembered).when(stampLicence('open', 'MIT')).then(licensed));
  it('is not stamped with the licence it has', () => given(remembered).when(stampLicence('unknown', 'seen on a wiki')).then());
  it('is stamped again for another note', () =>
    given(remembered)
      .when(stampLicence('unknown'))
      .then({ type: 'LicenceStamped', data: { licence: 'unknown', licence_note: undefined, previous: 'unknown' } }));
  it('has the licence and its note afterwards', () =>
    given(remembered, licensed).thenState({ ...active, licence: 'open', licence_note: 'MIT' }));

  it('gets a provenance, and the one before is on record', () => given(remembered).when(stampProvenance('asserted')).then(asserted));
  it('is not stamped with the provenance it has', () => given(remembered).when(stampProvenance('retrieved')).then());
  it('has the provenance afterwards', () => given(remembered, asserted).thenState({ ...active, provenance: 'asserted' }));
});

describe('a deprioritised memory', () => {
  const past = [remembered, deprioritised('stale', 'orders')];
  it('knows why, and what would bring it back', () =>
    given(...past).thenState({ ...active, status: 'deprioritised', reason: 'stale', reinstate_hints: ['orders'] }));
  it('is not deprioritised twice alike', () =>
    given(...past)
      .when(deprioritise('stale', 'orders'))
      .then());
  it('gathers hints', () =>
    given(...past)
      .when(deprioritise('stale', 'law', 'orders'))
      .then(deprioritised('stale', 'orders', 'law')));
  it('takes another reason', () =>
    given(...past)
      .when(deprioritise('wrong'))
      .then(deprioritised('wrong', 'orders')));
  it('is reinstated', () =>
    given(...past)
      .when(reinstate)
      .then(reinstated));
  it('is active afterwards, and keeps its hints', () => given(...past, reinstated).thenState({ ...active, reinstate_hints: ['orders'] }));
  it('gathers hints over a reinstatement', () =>
    given(...past, reinstated)
      .when(deprioritise('stale', 'law'))
      .then(deprioritised('stale', 'orders', 'law')));
  it('is archived', () =>
    given(...past)
      .when(archive())
      .then(archived()));
  it('is revised', () =>
    given(...past)
      .when(revise('b'))
      .then(revised('b', undefined)));
  it('is forgotten', () =>
    given(...past)
      .when(forget)
      .then(forgotten));
});

describe('an archived memory', () => {
  const past = [remembered, archived('done')];
  it('knows why', () => given(...past).thenState({ ...active, status: 'archived', reason: 'done' }));
  it('is not archived twice', () =>
    given(...past)
      .when(archive('again'))
      .then());
  it('cannot be deprioritised', () =>
    given(...past)
      .when(deprioritise('stale'))
      .thenThrows('CONFLICT'));
  it('cannot be revised', () =>
    given(...past)
      .when(revise('b'))
      .thenThrows('CONFLICT'));
  it('is reinstated', () =>
    given(...past)
      .when(reinstate)
      .then(reinstated));
  it('has no reason afterwards', () => given(...past, reinstated).thenState(active));
  it('is retagged', () =>
    given(...past)
      .when(retag({ tags: ['a'] }))
      .then(retagged(['a'])));
  it('gets a licence', () =>
    given(...past)
      .when(stampLicence('open', 'MIT'))
      .then(licensed));
  it('gets a provenance', () =>
    given(...past)
      .when(stampProvenance('asserted'))
      .then(asserted));
  it('is forgotten', () =>
    given(...past)
      .when(forget)
      .then(forgotten));
});

describe('a forgotten memory', () => {
  it('is nothing but forgotten', () => given(remembered, forgotten).thenState({ status: 'forgotten' }));
  it('may be forgotten again', () => given(remembered, forgotten).when(forget).then());
  it('cannot be remembered again under its key', () => given(remembered, forgotten).when(remember).thenThrows('CONFLICT'));
  it('is found by no other command', () => {
    for (const command of needsAMemory) given(remembered, forgotten).when(command).thenThrows('NOT_FOUND');
  });
  it('is forgotten also where its past was erased', () => given(forgotten).thenState({ status: 'forgotten' }));
  it('is not changed by what comes after', () => given(remembered, forgotten, retagged(['a'])).thenState({ status: 'forgotten' }));
});
