import { catalogue } from '../../../domain/catalogue.js';
import { createKeys } from '../../../projections/keys.js';
import { encodeEvent } from '../../../services/eventlog/encode.js';
import { type EventLog, openEventLog } from '../../../services/eventlog/log.js';
import { systemRandom } from '../../../services/eventlog/random.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';
import { createCorpus, type MadeMemory } from '../corpus.js';
import { byCallers, ratioFigure, timed } from '../figures.js';
import { inTemporaryFolder } from '../folders.js';
import { appendOf, openProduct, rememberedEvent, writeOf } from '../product.js';
import { byPipelines, PIPELINE } from '../raw.js';
import type { Scenario } from '../scenario.js';

const CALLERS = 256;
const REMEMBERING = 64;
const KINDS = ['raw', 'rawSingle', 'log', 'logSingle', 'remember'] as const;
const random = systemRandom();

export const append: Scenario = {
  name: 'append',
  about: 'rate of appends by many callers, and of remember(), against raw XADD of the same bytes, synced alike',
  run: ({ quick }) =>
    inTemporaryFolder('append', async (dataDir) => {
      const [rounds, count] = quick ? [3, 2_000] : [7, 10_000];
      const few = count / 10;
      await using valkey = await startValkey({ aof: 'always' });
      const log = await openLog(valkey);
      const redis = valkey.client();
      await using product = await openProduct(dataDir, undefined);

      const rates: Record<(typeof KINDS)[number], number[]> = { raw: [], rawSingle: [], log: [], logSingle: [], remember: [] };
      for (let round = 0; round <= rounds; round++) {
        const corpus = createCorpus(round + 1, Date.now());
        const memories = Array.from({ length: count }, corpus.memory);
        const entries = memories.map(entryOf);
        const work = {
          raw: [count, () => byPipelines(redis, entries, (pipeline, entry) => pipeline.xadd('raw', '*', ...entry))],
          log: [count, () => byCallers(CALLERS, count, (i) => appendOne(log, memories[i]))],
          rawSingle: [few, () => byCallers(1, few, (i) => redis.xadd('raw', '*', ...(entries[i] ?? [])))],
          logSingle: [few, () => byCallers(1, few, (i) => appendOne(log, memories[i]))],
          remember: [few, () => byCallers(REMEMBERING, few, (i) => rememberOne(product.app, memories[i]))],
        } as const;
        for (const kind of KINDS) {
          const [done, run] = work[kind];
          const rate = done / ((await timed(run)) / 1000);
          // The first round warms up.
          if (round > 0) rates[kind].push(rate);
        }
        await redis.flushall();
      }
      log.close();

      const raw = { name: `XADD, ${PIPELINE} a pipeline`, rounds: rates.raw };
      const single = { name: 'XADD one by one', rounds: rates.rawSingle };
      return [
        ratioFigure({ scenario: 'append', name: `log.append, ${CALLERS} callers`, unit: 'per s' }, rates.log, raw, { least: 0.5 }),
        ratioFigure({ scenario: 'append', name: 'log.append, one caller', unit: 'per s' }, rates.logSingle, single),
        ratioFigure({ scenario: 'append', name: `remember(), ${REMEMBERING} callers`, unit: 'per s', note: REMEMBER }, rates.remember, raw),
      ];
    }),
};

const REMEMBER = 'validation, secrets and duplicate check by words, append, every view brought up to it; no embedding';

const openLog = (valkey: TestValkey): Promise<EventLog> => {
  const connections = { append: valkey.client('append'), read: valkey.client(), blocking: valkey.client('blocking') };
  return openEventLog(connections, createKeys('local'));
};

/** The fields of one stream entry that holds all the bytes of an event: its envelope and its payload. */
const entryOf = (memory: MadeMemory): (string | Buffer)[] => {
  const { subject } = writeOf(memory, false);
  const stamp = { commandId: random.ulid(memory.at), actor: 'bench', at: new Date(memory.at).toISOString() };
  const [id = '', type = '', v = '', at = '', actor = '', correlation = '', , digest = '', payload = ''] = encodeEvent(
    rememberedEvent(memory),
    stamp,
    catalogue,
    random,
  ).args;
  const envelope = { id, type, v, subject, n: '1', at, actor, correlation, digest, payload };
  return Object.entries(envelope).flat();
};

const appendOne = async (log: EventLog, memory: MadeMemory | undefined): Promise<void> => {
  if (!memory) return;
  const { outcome } = await log.append(appendOf([writeOf(memory, false)], memory.at));
  if (outcome !== 'appended') throw new Error(`an append was answered ${outcome}`);
};

const rememberOne = async ({ commands }: Awaited<ReturnType<typeof openProduct>>['app'], memory: MadeMemory | undefined): Promise<void> => {
  if (!memory) return;
  const { content, project, namespace } = memory;
  const answer = await commands.remember({ content, project, namespace }, { actor: 'bench' });
  if (answer.status !== 'stored') throw new Error('a made memory was taken for a duplicate');
};
