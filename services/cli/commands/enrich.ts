import { setTimeout as delay } from 'node:timers/promises';
import type { QueueStatusResult } from '../../api.js';
import { type AddCommand, does, examples } from '../command.js';
import type { Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { listIn, sayList } from '../lists.js';

const LOOK_MS = 500;
const SHOWN = 10;

type Options = { readonly parked?: boolean; readonly wait?: boolean };

export const addEnrich: AddCommand = (program) => {
  const command = program
    .command('enrich')
    .summary('draw facts from what waits, now')
    .description(
      'Asks the server to go on with enrichment at once: what waits after a failure is tried now, and a worker that stopped over a wrong key looks again. With --parked, memories that were given up are tried once more. Says how the queue stands; with --wait, when it is empty. Exits with 1 when memories stay parked or nothing can be done.',
    )
    .option('--parked', 'try what was given up as well')
    .option('--wait', 'wait until nothing waits any more')
    .addHelpText('after', examples('omnimem enrich', 'omnimem enrich --parked --wait'));
  does<Options>(command, async (context, { parked = false, wait = false }) => {
    const before = await context.tool<QueueStatusResult>('queue_status', {});
    if (before.enrichment === 'on') await ask(context, parked);
    const status = wait && before.enrichment === 'on' ? await untilDone(context, before, parked) : before;
    context.answer(status, (now) => say(now, { parked, wait }));
    return status.enrichment === 'off' || status.trouble?.stopped || (wait && status.parked_total > 0) ? EXIT.failed : EXIT.ok;
  });
};

const ask = async ({ config, instance }: Context, parked: boolean): Promise<void> => {
  const [{ openStore }, { requestAgain }] = await Promise.all([import('../../ops/store.js'), import('../../jobs/enricher-board.js')]);
  const { valkey: target } = await instance();
  const store = await openStore({ target, tenant: config.tenant });
  try {
    await requestAgain(store.redis, store.keys, parked ? 'parked' : 'waiting');
  } finally {
    store.close();
  }
};

/** Looks until nothing waits, nothing is worked on and the request was taken up, or nothing can go on. */
const untilDone = async ({ tool, signal, progress }: Context, before: QueueStatusResult, parked: boolean): Promise<QueueStatusResult> => {
  const total = before.pending + (parked ? before.parked_total : 0);
  for (;;) {
    await delay(LOOK_MS, undefined, { signal });
    const now = await tool<QueueStatusResult>('queue_status', {});
    const left = now.pending + (parked ? now.parked_total : 0);
    progress.bar('drawing facts', Math.max(0, total - left), Math.max(total, left));
    if (now.retry_waits || (now.trouble?.stopped !== true && (now.pending > 0 || now.in_flight > 0))) continue;
    return now;
  }
};

const sayParked = ({ key, code, attempts }: QueueStatusResult['parked'][number]): string => `${key}  ${code} after ${attempts} attempts`;

const say = (status: QueueStatusResult, { parked, wait }: { readonly parked: boolean; readonly wait: boolean }): string => {
  const asked = status.enrichment === 'on' && !wait ? [parked ? 'What was given up is tried again.' : 'What waits is tried now.'] : [];
  return [
    ...asked,
    `${status.pending} pending, ${status.in_flight} of them worked on, ${status.parked_total} parked`,
    ...sayList('', { items: listIn(status, 'parked').items, total: status.parked_total }, sayParked, { most: SHOWN }).slice(1),
    ...(status.note === undefined ? [] : [status.note]),
  ].join('\n');
};
