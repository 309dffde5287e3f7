import { resolve } from 'node:path';
import { realModel } from '../support/real-model.js';
import type { Figure } from './figures.js';
import { machineFacts } from './machine.js';
import { helpText, parseOptions } from './options.js';
import { tableOf, writeRun } from './report.js';
import type { Context, Scenario } from './scenario.js';
import { append } from './scenarios/append.js';
import { asOf } from './scenarios/as-of.js';
import { backup } from './scenarios/backup.js';
import { briefing } from './scenarios/briefing.js';
import { cluster } from './scenarios/cluster.js';
import { footprint } from './scenarios/footprint.js';
import { peers } from './scenarios/peers.js';
import { recall } from './scenarios/recall.js';
import { replay } from './scenarios/replay.js';
import { retrieval } from './scenarios/retrieval.js';
import { scale } from './scenarios/scale.js';
import { start } from './scenarios/start.js';
import { tenants } from './scenarios/tenants.js';
import { visible } from './scenarios/visible.js';
import { createStores } from './stores.js';

const SCENARIOS: readonly Scenario[] = [
  append,
  replay,
  recall,
  briefing,
  visible,
  footprint,
  start,
  backup,
  asOf,
  retrieval,
  peers,
  cluster,
  tenants,
  scale,
];

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const run = async (args: readonly string[]): Promise<number> => {
  const { help, quick, only, sizes, out } = parseOptions(args, SCENARIOS);
  if (help) {
    console.log(helpText(SCENARIOS));
    return 0;
  }
  const begun = performance.now();
  const machine = machineFacts();
  const stores = createStores(say);
  const context: Context = { quick, sizes, stores, model: findModel, say };
  const figures: Figure[] = [];
  const skipped: { scenario: string; reason: string }[] = [];
  let broke = false;
  try {
    for (const scenario of SCENARIOS) {
      if (only.length > 0 ? !only.includes(scenario.name) : scenario.named || (quick && scenario.long)) continue;
      say(`${scenario.name}: ${scenario.about}`);
      try {
        const found = await scenario.run(context);
        if (found.length === 0) skipped.push({ scenario: scenario.name, reason: 'nothing could be measured; see above' });
        figures.push(...found);
      } catch (error) {
        broke = true;
        say(error instanceof Error ? (error.stack ?? error.message) : String(error));
        skipped.push({ scenario: scenario.name, reason: error instanceof Error ? error.message : String(error) });
      }
    }
  } finally {
    await stores.close();
  }
  const seconds = (performance.now() - begun) / 1000;
  const result = { at: new Date().toISOString(), mode: quick ? ('quick' as const) : ('full' as const), seconds, machine, figures, skipped };
  console.log(tableOf(result));
  say(`\nWritten to ${writeRun(result, resolve(out))}`);
  if (broke) return 1;
  return figures.some(({ target }) => target && !target.met) ? 3 : 0;
};

const findModel: Context['model'] = async () => {
  const found = await realModel();
  return typeof found === 'string' ? { missing: found } : { dir: found.dir };
};

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  say(error instanceof TypeError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = error instanceof TypeError ? 2 : 1;
}
