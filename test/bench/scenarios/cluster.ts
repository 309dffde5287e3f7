import { createKeys } from '../../../projections/keys.js';
import { type EventLog, openEventLog } from '../../../services/eventlog/log.js';
import { type ConnectionKind, connect } from '../../../services/valkey/client.js';
import { placeOf } from '../../../services/valkey/place.js';
import { type ClusterNode, startCluster, type TestCluster } from '../../support/cluster.js';
import { startValkey } from '../../support/valkey.js';
import { createCorpus, type MadeMemory } from '../corpus.js';
import { byCallers, type Figure, latencies, median, percentile, plainFigure, ratioFigure, timed } from '../figures.js';
import { appendOf, writeOf } from '../product.js';
import type { Scenario } from '../scenario.js';

const CALLERS = 64;
const AOF = { aof: 'always' } as const;

export const cluster: Scenario = {
  name: 'cluster',
  about: 'three primaries against one server, WAIT for a replica, and what moving the slot of a tenant costs',
  long: true,
  named: true,
  run: async ({ quick }) => {
    await using nodes = await startCluster(AOF);
    return [...(await appends(nodes, quick)), ...(await waits(nodes, quick)), ...(await moves(nodes, quick))];
  },
};

type Log = { readonly log: EventLog; readonly tenant: string; readonly close: () => void };

/** The log of a tenant. On a cluster the address names whichever node. */
const openLog = async (target: string, tenant: string, inCluster: boolean): Promise<Log> => {
  const { at } = placeOf(tenant, inCluster);
  const open = (kind: ConnectionKind) => connect(target, kind, at);
  const connections = { append: open('append'), read: open('general'), blocking: open('blocking') };
  const log = await openEventLog(connections, createKeys(tenant, inCluster));
  const close = (): void => {
    log.close();
    for (const connection of Object.values(connections)) connection.disconnect();
  };
  return { log, tenant, close };
};

const appendOne = async (log: EventLog, memory: MadeMemory): Promise<void> => {
  const { outcome } = await log.append(appendOf([writeOf(memory)], memory.at));
  if (outcome !== 'appended') throw new Error(`an append was answered ${outcome}`);
};

const made = (seed: number, count: number): MadeMemory[] => Array.from({ length: count }, createCorpus(seed, Date.now()).memory);

const appends = async (nodes: TestCluster, quick: boolean): Promise<Figure[]> => {
  const [rounds, count] = quick ? [3, 100] : [7, 400];
  await using single = await startValkey(AOF);
  const spread = await Promise.all(nodes.primaries.map(async (node) => openLog(node.url, await nodes.tenantOn(node), true)));
  const together = await Promise.all(spread.map(({ tenant }) => openLog(single.url, tenant, false)));
  const one = (logs: readonly Log[], memories: readonly MadeMemory[]) => async (): Promise<number> => {
    const [first] = logs;
    return first ? median(await latencies(memories, (memory) => appendOne(first.log, memory))) : Number.NaN;
  };
  const all = (logs: readonly Log[], memories: readonly MadeMemory[]) => async (): Promise<number> => {
    const ms = await timed(() =>
      Promise.all(
        logs.map(({ log }) => byCallers(CALLERS, 5 * memories.length, (i) => appendOne(log, memories[i % memories.length] as MadeMemory))),
      ),
    );
    return (5 * memories.length * logs.length) / (ms / 1_000);
  };
  const taken: Record<'oneSpread' | 'oneSingle' | 'allSpread' | 'allTogether', number[]> = {
    oneSpread: [],
    oneSingle: [],
    allSpread: [],
    allTogether: [],
  };
  for (let round = 0; round <= rounds; round++) {
    const memories = made(round + 1, count);
    const work = {
      oneSingle: one(together, memories),
      oneSpread: one(spread, memories),
      allTogether: all(together, memories),
      allSpread: all(spread, memories),
    };
    for (const [kind, run] of Object.entries(work)) {
      const value = await run();
      // The first round warms up.
      if (round > 0) taken[kind as keyof typeof work].push(value);
    }
  }
  for (const { close } of [...spread, ...together]) close();
  return [
    ratioFigure({ scenario: 'cluster', name: 'log.append to one of three primaries, one caller', unit: 'ms' }, taken.oneSpread, {
      name: 'a server alone',
      rounds: taken.oneSingle,
    }),
    ratioFigure(
      { scenario: 'cluster', name: `three tenants on three primaries, ${CALLERS} callers each`, unit: 'per s' },
      taken.allSpread,
      {
        name: 'the three on one server',
        rounds: taken.allTogether,
      },
    ),
  ];
};

const waits = async (nodes: TestCluster, quick: boolean): Promise<Figure[]> => {
  const [rounds, count] = quick ? [3, 100] : [7, 400];
  const [, , home] = nodes.primaries;
  const tenant = await nodes.tenantOn(home);
  await nodes.addReplica(home);
  const key = createKeys(tenant, true).counter('bench');
  const redis = home.redis;
  const value = 'x'.repeat(500);
  const taken: { plain: number[]; waited: number[] } = { plain: [], waited: [] };
  for (let round = 0; round <= rounds; round++) {
    const items = Array.from({ length: count }, (_, i) => i);
    const plain = median(await latencies(items, () => redis.xadd(key, '*', 'v', value)));
    const waited = median(
      await latencies(items, async () => {
        await redis.xadd(key, '*', 'v', value);
        if ((await redis.wait(1, 1_000)) < 1) throw new Error('the replica did not answer within a second');
      }),
    );
    if (round === 0) continue;
    taken.plain.push(plain);
    taken.waited.push(waited);
  }
  await redis.unlink(key);
  return [
    ratioFigure({ scenario: 'cluster', name: 'XADD and WAIT 1, one caller', unit: 'ms' }, taken.waited, {
      name: 'XADD alone, with the same replica',
      rounds: taken.plain,
    }),
  ];
};

const moves = async (nodes: TestCluster, quick: boolean): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const size of quick ? [1_000] : [1_000, 10_000]) {
    const [first, second] = nodes.primaries;
    const opened = await openLog(first.url, await nodes.tenantOn(first), true);
    for (let from = 0; from < size; from += 200)
      await opened.log.append(
        appendOf(
          made(from + 1, 200).map((memory) => writeOf(memory)),
          Date.now(),
        ),
      );
    for (const batch of [10, 100, 1_000]) {
      const shut: number[] = [];
      const pauses: number[] = [];
      let keys = 0;
      for (let round = 0; round < 4; round++) {
        const to: ClusterNode = round % 2 === 0 ? second : first;
        const writer = startWriter(opened.log);
        const slot = await nodes.slotOf(opened.tenant);
        shut.push(await timed(async () => (keys = await nodes.moveSlot(slot, to, { batch }))));
        pauses.push(await writer.stop());
      }
      const name = `a slot of ${keys} keys moves, ${batch} a MIGRATE`;
      figures.push(
        plainFigure({ scenario: 'cluster', name, size, unit: 'ms' }, shut),
        plainFigure({ scenario: 'cluster', name: `${name}: longest time without an acknowledged append`, size, unit: 'ms' }, pauses),
      );
    }
    opened.close();
  }
  return figures;
};

/** Appends one after the other, and asks again with the same command id what was refused. `stop` answers the longest pause, ms. */
const startWriter = (log: EventLog) => {
  let stopping = false;
  const gaps: number[] = [];
  const run = async (): Promise<void> => {
    const memories = made(7, 50);
    for (let n = 0; !stopping; n++) {
      const append = appendOf([writeOf(memories[n % memories.length] as MadeMemory, false)], Date.now());
      const begun = performance.now();
      while (
        !(await log.append(append).then(
          () => true,
          () => false,
        ))
      )
        await new Promise((resolve) => setTimeout(resolve, 20));
      gaps.push(performance.now() - begun);
    }
  };
  const running = run();
  return {
    stop: async (): Promise<number> => {
      // Until one append was acknowledged by the new owner.
      const seen = gaps.length;
      while (gaps.length < seen + 2) await new Promise((resolve) => setTimeout(resolve, 5));
      stopping = true;
      await running;
      return percentile(gaps, 1);
    },
  };
};
