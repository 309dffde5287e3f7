import type { HealthResult } from '../../api.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { listIn } from '../lists.js';
import { table } from '../output.js';
import { openedHealth } from '../settled.js';

export const addHealth: AddCommand = (program) => {
  const command = program
    .command('health')
    .summary('say whether the memory is well')
    .description(
      'Says whether the memory is well: green, amber or red, with each problem and what to do about it. Exits with 1 when it is red. omnimem doctor looks at the machine as well, and works when no instance can be started.',
    )
    .addHelpText('after', examples('omnimem health', 'omnimem health --json | jq .issues'));
  does(command, async (context) => {
    const health = await openedHealth(context);
    context.answer(health, say);
    return health.status === 'red' ? EXIT.failed : EXIT.ok;
  });
};

const say = (answer: HealthResult): string => {
  const { status, records = {}, log, projections = {}, vectors, model, model_loaded } = answer;
  const issues = listIn(answer, 'issues', true);
  const unsaid = issues.total - issues.items.length;
  const memories = Object.entries(records).map(([namespace, count]) => `${namespace} ${count}`);
  const views = Object.entries(projections).map(
    ([name, view]) => `${name} ${view.lag_events === 0 ? 'up to date' : `${view.lag_events} events behind`}`,
  );
  return [
    status,
    ...issues.items.map(({ severity, code, message, hint }) => `  ${severity === 'red' ? '✗' : '!'} ${code}: ${message}\n      ${hint}`),
    ...(unsaid > 0 ? [`  and ${unsaid} more`] : []),
    table([
      ['  memories', memories.join(', ') || 'none'],
      ['  log', `${log?.events ?? '?'} events, ${log?.log_id ?? '?'}`],
      ['  views', views.join(', ')],
      ['  vectors', `${vectors?.pending ?? '?'} pending, ${vectors?.refused ?? '?'} refused`],
      ['  model', model_loaded ? String(model?.id ?? model?.name ?? 'loaded') : 'none'],
    ]),
  ].join('\n');
};
