import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../domain/catalogue.js';
import { replayProjection } from '../../../projections/replay.js';
import { shadowName } from '../../../projections/verify.js';
import { createEnriching } from '../../../services/commands/enriching.js';
import { forget as forgetCommand } from '../../../services/commands/forget.js';
import { createForgetPlans } from '../../../services/commands/forget-plan.js';
import type { CommandParts } from '../../../services/commands/parts.js';
import type { Embedder } from '../../../services/embedding/port.js';
import { systemRandom } from '../../../services/eventlog/random.js';
import { createSessionReads } from '../../../services/session-reads.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { hashedEmbedder, providerOf } from '../../support/embedders.js';
import { appendOf, keysHolding, newKey, newMemory, remembered } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey({ config: { rdbcompression: 'no' } });
});
afterAll(() => valkey.stop());

const SECRET = 'The password of the north vault is saffron-basilisk.';
const NEEDLE = 'saffron-basilisk';
/** What somebody asks afterwards, who does not say the secret himself: query texts are kept. */
const QUESTION = 'The password of the north vault is what?';

/** An embedder that can be held in the middle of its work. */
const heldEmbedder = (name = 'hashed') => {
  const inner = hashedEmbedder(name);
  let gate: Promise<void> | undefined;
  let open = (): void => undefined;
  let arrived = (): void => undefined;
  const embedder: Embedder = {
    ...inner,
    embed: async (...input) => {
      const vectors = await inner.embed(...input);
      arrived();
      await gate;
      return vectors;
    },
  };
  return {
    embedder,
    /** From now on embedding waits until `release`; `reached` resolves once it does. */
    hold: () => {
      gate = new Promise((resolve) => {
        open = resolve;
      });
      const reached = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      return { reached, release: () => open() };
    },
  };
};

let held: ReturnType<typeof heldEmbedder>;
let provider: ReturnType<typeof providerOf>;
let test: TestApp;
beforeEach(async () => {
  held = heldEmbedder();
  provider = providerOf(held.embedder);
  test = await openTestApp({ valkey, provider });
  return async () => {
    await test.verifyAll();
    await test.end();
  };
});

const remember = async (content: string): Promise<string> => {
  const stored = await test.app.commands.remember({ content, force: true }, test.call);
  if (stored.status !== 'stored') throw new Error('not stored');
  return stored.key;
};
const forget = (key: string) => test.app.commands.forget({ key_or_query: key, confirm: true }, test.call);

/** Nothing of the memory is left but that it was forgotten, and no search finds it. */
const expectGone = async (key: string, app = test): Promise<void> => {
  expect(await keysHolding(test.redis, test.keys, NEEDLE)).toEqual([]);
  expect(await test.redis.keys(`${test.keys.prefix}emb:*${key}`)).toEqual([]);
  expect(await test.redis.hget(test.keys.counter('recalls'), key)).toBeNull();
  expect((await app.app.queries.recall({ query: QUESTION }, test.call)).results.map((result) => result.key)).not.toContain(key);
  expect(await test.log.load([key])).toMatchObject([{ events: [{ type: 'MemoryForgotten' }] }]);
};

describe('nothing brings a forgotten memory back', () => {
  it('not a revision that was paused in its embedding', async () => {
    const key = await remember(SECRET);
    const pause = held.hold();
    const revising = test.app.commands.revise({ key, content: `${SECRET} Still.` }, test.call);
    await pause.reached;
    await forget(key);
    pause.release();
    await expect(revising).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expectGone(key);
  });

  it('not vectors that are filled in late', async () => {
    const pause = held.hold();
    const key = newKey();
    await test.log.append(appendOf([{ subject: key, expected: 0, events: [remembered(SECRET)] }]));
    await pause.reached;
    await forget(key);
    pause.release();
    await delay(200);
    await expectGone(key);
  });

  it('not the move to another model', async () => {
    const key = await remember(SECRET);
    const other = heldEmbedder('all-MiniLM-L6-v2');
    const pause = other.hold();
    provider.arrive(other.embedder);
    await pause.reached;
    await forget(key);
    pause.release();
    await untilModel(other.embedder.identity.id);
    await expectGone(key);
  });

  it('not a recall whose count comes late', async () => {
    const key = await remember(SECRET);
    expect((await test.app.queries.recall({ query: SECRET }, test.call)).results.map((result) => result.key)).toContain(key);
    await forget(key);
    await delay(400);
    await expectGone(key);
  });

  it('not a rebuild that had read it', async () => {
    await test.log.append(appendOf(Array.from({ length: 1_000 }, (_, i) => newMemory(`filling ${i}`))));
    const key = await remember(SECRET);
    let forgetting: Promise<unknown> | undefined;
    for (const view of ['memories', 'counters']) {
      await replayProjection(test.redis, test.keys, view, Date.now(), {
        onProgress: () => {
          forgetting ??= forget(key);
        },
      });
    }
    await (forgetting ?? forget(key));
    await expectGone(key);
  });

  it('not a generation of a view that has just been replaced and waits to be deleted', async () => {
    const key = await remember(SECRET);
    await replayProjection(test.redis, test.keys, 'memories', Date.now());
    await forget(key);
    await expectGone(key);
  });

  it('not the shadow that a killed verification left behind', async () => {
    const key = await remember(SECRET);
    const name = shadowName('memories');
    await test.redis.hset(test.keys.projection(name), 'building', 1);
    await test.redis.hset(test.keys.row(name, 1, key), 'content', SECRET);
    await forget(key);
    await expectGone(key);
  });

  it('not another process, which stops finding it at once', async () => {
    const other = await test.another();
    try {
      await other.app.whenReady(10_000);
      const key = await remember(SECRET);
      expect((await other.app.queries.recall({ query: SECRET }, test.call)).results.map((result) => result.key)).toContain(key);
      const [, revised] = await Promise.allSettled([
        forget(key),
        other.app.commands.revise({ key, content: `${SECRET} Really.` }, test.call),
        other.app.commands.retag({ key, tags: ['late'] }, test.call),
      ]);
      await forget(key);
      await delay(300);
      expect(revised.status === 'rejected' || revised.value.status === 'revised').toBe(true);
      expect((await other.app.queries.recall({ query: QUESTION }, test.call)).results).toEqual([]);
      await expectGone(key);
    } finally {
      await other.close();
    }
  });

  it('not a fact that was drawn from it while it was being forgotten', async () => {
    const key = await remember(SECRET);
    const fact = newKey();
    const drawn: DomainEvent = remembered(`It was ${NEEDLE}.`, { enriched_from: key });
    let writes = 0;
    const parts: CommandParts = {
      ...partsOf(test),
      log: {
        ...test.log,
        forget: async (erasure) => {
          // After the look at the facts and before the erasure: the source is still there, so the guard holds.
          if (writes++ === 0)
            await test.log.append(appendOf([{ subject: fact, expected: 0, events: [drawn] }], { guards: [{ subject: key, version: 1 }] }));
          return test.log.forget(erasure);
        },
      },
    };
    expect(await forgetCommand(parts, { key_or_query: key, confirm: true }, test.call)).toMatchObject({ deleted_keys: [key, fact] });
    await expectGone(key);
    const late = appendOf([{ subject: newKey(), expected: 0, events: [drawn] }], { guards: [{ subject: key, version: 1 }] });
    expect(await test.log.append(late)).toMatchObject({ outcome: 'version' });
  });

  it('and not what is revised between the look at it and its erasure, where a preview had shown it', async () => {
    const key = await remember(SECRET);
    const plain = partsOf(test);
    const seen = await forgetCommand(plain, { key_or_query: key }, test.call);
    let steps = 0;
    const parts: CommandParts = {
      ...plain,
      log: {
        ...test.log,
        forget: async (erasure) => {
          if (steps++ === 0) await test.app.commands.revise({ key, content: 'The north vault must be kept.' }, test.call);
          return test.log.forget(erasure);
        },
      },
    };
    const confirmed = { preview_id: seen.status === 'preview' ? seen.preview_id : '', confirm: true };
    const answer = await forgetCommand(parts, confirmed, test.call);
    expect(answer).toMatchObject({ status: 'deleted', deleted: 0, changed_since_preview: [key] });
    expect(steps).toBe(1);
    expect(await forgetCommand(plain, { key_or_query: key, confirm: true }, test.call)).toMatchObject({ deleted_keys: [key] });
  });

  it('but the same text may be remembered again, as a new memory', async () => {
    const key = await remember(SECRET);
    await forget(key);
    const again = await remember(SECRET);
    expect(again).not.toBe(key);
    await forget(again);
    await expectGone(again);
  });
});

const untilModel = async (model: string): Promise<void> => {
  for (const end = performance.now() + 10_000; test.index.serving?.model.id !== model; await delay(20)) {
    if (performance.now() > end) throw new Error(`${model} does not serve`);
  }
};

/** The command's parts over an open app, as far as forgetting needs them. */
const partsOf = ({ log, keys, index, redis, queryParts, runner }: TestApp): CommandParts => ({
  log,
  keys,
  index,
  random: systemRandom(),
  now: Date.now,
  embedder: () => 'off',
  thresholds: () => ({ duplicate: 1, contradiction: 1 }),
  defaultMode: 'raw',
  enriching: createEnriching({ on: false, batch: false }),
  model: undefined,
  reads: createSessionReads(),
  deprioritisedWeight: 0.2,
  maintenance: { interval: 0, maxChanges: 50 },
  settled: async (position) =>
    (await runner.waitFor(position, 5_000)) === 'reached' && (await index.progress.waitFor(position, 5_000)) === 'reached',
  fresh: async () => void (await queryParts.fresh()),
  bestMatches: async () => [],
  rowsOf: async () => [],
  noteModel: async () => undefined,
  documentMembers: async () => [],
  versionOf: async (subject) => Number((await redis.hget(keys.payloads(subject), 'v')) ?? 0),
  plans: createForgetPlans(redis, keys),
  madeBy: async () => [],
  linesOf: async () => [],
  models: () => redis.smembers(keys.models),
  redis: test.redis,
  reindexer: { run: () => Promise.reject(new Error('forgetting rebuilds nothing')) },
  onErased: () => 'external',
});
