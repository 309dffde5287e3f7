import { ORIGIN } from '../../../domain/envelope.js';
import { DomainError } from '../../../domain/errors.js';
import type { LogFilter, LogLine } from '../../queries/log.js';
import { type AddCommand, collect, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { instant, shown } from '../output.js';
import { whenOf, wholeNumber } from '../parse.js';

type Options = {
  readonly subject?: string;
  readonly type?: readonly string[];
  readonly actor?: string;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
  readonly all?: boolean;
  readonly follow?: boolean;
};

export const addLog: AddCommand = (program) => {
  const command = program
    .command('log')
    .summary('read, filter and follow the event log')
    .description(
      'Prints the newest entries of the event log, oldest first. With --json one object a line, with the whole data of each event.',
    )
    .option('-s, --subject <subject>', 'only this subject (a memory key, topic:…, system:…); * at the end means any that begins so')
    .option('-t, --type <type>', 'only this type of event; may be given several times', collect)
    .option('-a, --actor <actor>', 'only what this one did; * at the end means any that begins so')
    .option('--since <when>', 'from then on: an ISO date or time, or an age such as 30m, 2h, 3d', (text) => whenOf(text))
    .option('--until <when>', 'up to then', (text) => whenOf(text))
    .option('-l, --limit <n>', 'the newest so many', wholeNumber(1), 50)
    .option('--all', 'every entry')
    .option('-f, --follow', 'go on printing what is written, until Ctrl-C')
    .addHelpText(
      'after',
      examples(
        'omnimem log --since 2h',
        "omnimem log --follow --actor 'mcp:claude-code*'",
        'omnimem log --type MemoryForgotten --type MemoryRevised --all',
        "omnimem log --subject 'mem:preference:*' --json | jq .data.content",
      ),
    );
  does<Options>(command, async (context, { subject, type, actor, since, until, limit, all, follow }) => {
    const [{ openStore }, { followLog, readLog }] = await Promise.all([import('../../ops/store.js'), import('../../queries/log.js')]);
    const filter: LogFilter = { subject, types: type, actor, since, until, limit: all ? undefined : limit };
    if (follow && until !== undefined) throw new DomainError('VALIDATION', '--follow has no end, so --until does not go with it');
    const { signal, config, json } = context;
    const store = await openStore({ target: (await context.instance()).valkey, tenant: config.tenant });
    const say = (line: LogLine): void => context.print(json ? JSON.stringify(line) : sayLine(line));
    try {
      const end = follow ? ((await store.log.head())?.position ?? ORIGIN) : undefined;
      let count = 0;
      for await (const line of readLog(store, filter, signal, end)) {
        say(line);
        count++;
      }
      if (end === undefined) return count > 0 ? EXIT.ok : EXIT.nothingFound;
      for await (const line of followLog(store, end, filter, signal)) say(line);
      return EXIT.ok;
    } finally {
      store.close();
    }
  });
};

const sayLine = ({ position, at, type, subject, n, actor, data, erased, fault }: LogLine): string => {
  if (fault !== undefined) return `${position}  ${subject ?? 'unknown subject'}  cannot be read: ${fault}`;
  const details = Object.entries((data ?? {}) as object)
    .filter(([, value]) => !Array.isArray(value) || value.length > 0)
    .map(([name, value]) => `${name}=${shown(value, name === 'content' ? 100 : 60)}`);
  return [at && instant(at), type, `${subject} #${n}`, actor, erased ? '(erased)' : details.join('  ')].filter(Boolean).join('  ');
};
