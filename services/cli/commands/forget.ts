import { DomainError } from '../../../domain/errors.js';
import type { ForgetInput, ForgetResult } from '../../api.js';
import type { Receipt } from '../../erasure/receipt.js';
import { type AddCommand, does, examples } from '../command.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { listIn, sayList } from '../lists.js';
import { oneLine } from '../output.js';
import { whenOf } from '../parse.js';

type Options = {
  readonly document?: string;
  readonly project?: string;
  readonly since?: number;
  readonly until?: number;
  readonly topic?: string;
  readonly confirm?: boolean;
  readonly receipt?: boolean;
  readonly filesRewritten?: boolean;
};
type Preview = Extract<ForgetResult, { status: 'preview' }>;

const PREVIEW_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/i;
const FEW = 20;
const isKey = (text: string): boolean => text.startsWith('mem:');
/** So many that were named by their keys are confirmed by them, any others by the id of the preview. */
const NAMED = 5;

export const addForget: AddCommand = (program) => {
  const command = program
    .command('forget')
    .summary('erase memories for good')
    .description(
      'Erases memories for good: text, vectors, history, and the facts drawn from them. Without --confirm it only shows what would go, and the id of that preview. With --confirm it erases exactly what was previewed, or the keys that are given; a question is never asked again to find more. An erasure that was interrupted goes on when it is confirmed again.',
    )
    .argument('[what...]', 'a key, or words that the memory says or holds; with --confirm: the id of a preview, or keys')
    .option('--document <doc-id>', 'every chunk of a document')
    .option('--project <name>', 'every memory of a project')
    .option('--since <when>', 'what was remembered from then on: an ISO date or time, or an age such as 2h, 3d', (text) => whenOf(text))
    .option('--until <when>', 'what was remembered before then', (text) => whenOf(text))
    .option('--topic <topic>', 'a topic that was suppressed by hand: its text and the reasons given')
    .option('--confirm', 'erase it')
    .option('--receipt', 'with --confirm: look for the text in every key and file before and after, and print what was found')
    .option(
      '--files-rewritten',
      'say that the files of a Valkey server that is not ours were rewritten since, where it does not do so when asked (health: ERASURE_ON_DISK)',
    )
    .addHelpText(
      'after',
      examples(
        'omnimem forget the old staging password',
        'omnimem forget --project shop --until 2026-01-01',
        'omnimem forget --topic kubernetes',
        'omnimem forget --confirm mem:episodic:01J…',
        'omnimem forget --confirm 01J9ZC4Q0000000000000000AB --receipt',
      ),
    );
  does<Options>(command, async (context, options, words) => {
    const given = words as string[];
    if (options.filesRewritten) return sayRewritten(context, given, options);
    if (!options.confirm) return preview(context, inputOf(given, options), given.length > 0 && given.every(isKey));
    const input = confirmationOf(given, options);
    return options.receipt ? withReceipt(context, input) : answered(context, await context.tool<ForgetResult>('forget', input));
  });
};

const inputOf = (given: readonly string[], { document, project, since, until, topic, receipt }: Options): ForgetInput => {
  if (receipt) throw new DomainError('VALIDATION', '--receipt goes with --confirm', 'Preview first; then confirm with --receipt.');
  return {
    ...(given.length > 0 && { key_or_query: given.join(' ') }),
    doc_id: document,
    project,
    created_after: since === undefined ? undefined : new Date(since).toISOString(),
    created_before: until === undefined ? undefined : new Date(until).toISOString(),
    topic,
  };
};

const confirmationOf = (given: readonly string[], { document, project, since, until, topic }: Options): ForgetInput => {
  if ([document, project, since, until, topic].some((option) => option !== undefined))
    throw new DomainError(
      'VALIDATION',
      '--confirm takes the id of a preview, or keys',
      'Call it without --confirm first; it prints the line.',
    );
  const [only] = given;
  if (given.length === 1 && only !== undefined && PREVIEW_ID.test(only)) return { preview_id: only, confirm: true };
  const word = given.find((text) => !isKey(text));
  if (word === undefined && only !== undefined) return { keys: given, confirm: true };
  throw new DomainError(
    'VALIDATION',
    word === undefined
      ? '--confirm needs to be told what to erase'
      : `${JSON.stringify(word.slice(0, 80))} is not a key, and --confirm takes keys only, or the id of a preview`,
    'Call it without --confirm first; it prints the line that erases.',
  );
};

const preview = async (context: Context, input: ForgetInput, named: boolean): Promise<ExitCode> =>
  answered(context, await context.tool<ForgetResult>('forget', input), named);

const answered = (context: Context, answer: ForgetResult, named = false): ExitCode => {
  context.answer(answer, (shown) => say(shown, named));
  if (answer.status === 'not_found') return EXIT.nothingFound;
  if (answer.status === 'deleted' && answer.backups_note !== undefined) return EXIT.failed;
  return answer.status === 'deleted' && answer.deleted === 0 ? EXIT.nothingFound : EXIT.ok;
};

/** The proof needs the texts before they go, so the keys are looked up in the store itself, by the preview. */
const withReceipt = async (context: Context, { keys, preview_id }: ForgetInput): Promise<ExitCode> => {
  const [{ openStore }, { takeReceipt }, { sayReceipt }, { createForgetPlans }, { leftByPlan }] = await Promise.all([
    import('../../ops/store.js'),
    import('../../erasure/receipt.js'),
    import('../../erasure/receipt-text.js'),
    import('../../commands/forget-plan.js'),
    import('../../commands/forget-stamps.js'),
  ]);
  const { config, progress, signal } = context;
  const store = await openStore({ target: (await context.instance()).valkey, tenant: config.tenant });
  try {
    let id = preview_id;
    if (id === undefined) {
      const seen = await context.tool<ForgetResult>('forget', { keys });
      if (seen.status !== 'preview') return answered(context, seen);
      id = seen.preview_id;
    }
    const plan = await createForgetPlans(store.redis, store.keys).read(id.toUpperCase());
    if (!plan)
      throw new DomainError('CONFIRMATION_REQUIRED', 'There is no such preview any more', 'Call it without --confirm for a new one.');
    const erase = () => context.tool<ForgetResult>('forget', { preview_id: id, confirm: true });
    const versionOf = async (subject: string) => Number((await store.redis.hget(store.keys.payloads(subject), 'v')) ?? 0);
    const left = await leftByPlan({ log: store.log, versionOf }, plan);
    const memories = plan.batches.flat().filter((key) => !left.has(key));
    if (memories.length === 0) return answered(context, await erase());
    const said: string[] = [];
    let unlisted: string | undefined;
    const taken = await takeReceipt(
      { ...store, dataDir: config.dataDir, backupDir: config.backup.dir, managed: config.valkey === undefined, now: Date.now },
      memories,
      async () => {
        const answer = await erase();
        if (answer.status !== 'deleted') return;
        unlisted = answer.backups_note;
        if (answer.note !== undefined && (left.size > 0 || answer.changed_since_preview !== undefined)) said.push(answer.note);
      },
      { signal, onProgress: progress.say },
    );
    const receipt = { ...taken, notes: [...taken.notes, ...said, ...(unlisted === undefined ? [] : [unlisted])] };
    context.answer<Receipt>(receipt, sayReceipt);
    return receipt.verdict === 'erased' && unlisted === undefined ? EXIT.ok : EXIT.failed;
  } finally {
    store.close();
  }
};

const sayRewritten = async (context: Context, given: readonly string[], { filesRewritten: _, ...others }: Options): Promise<ExitCode> => {
  if (given.length + Object.keys(others).length > 0)
    throw new DomainError('VALIDATION', '--files-rewritten stands alone', 'It confirms every erasure so far.');
  const { config } = context;
  if (config.valkey === undefined)
    throw new DomainError('VALIDATION', 'This Valkey server is run by OmniMem', 'It rewrites its files by itself; see omnimem health.');
  const [{ openStore }, { confirmFilesRewritten }] = await Promise.all([
    import('../../ops/store.js'),
    import('../../ops/confirm-files.js'),
  ]);
  const store = await openStore({ target: config.valkey, tenant: config.tenant });
  try {
    const answer = await confirmFilesRewritten(store);
    context.answer(answer, ({ confirmed, erasures }) =>
      confirmed === 0
        ? 'No erasure waits for the files of the server.'
        : `Noted, on your word: everything forgotten so far (erasure ${erasures}) has left the files of the server.`,
    );
    return answer.confirmed === 0 ? EXIT.nothingFound : EXIT.ok;
  } finally {
    store.close();
  }
};

const say = (answer: ForgetResult, named: boolean): string => {
  switch (answer.status) {
    case 'not_found':
      return ['Nothing was found to forget.', answer.note, ...(answer.project_suggestion ? [answer.project_suggestion.note] : [])].join(
        '\n',
      );
    case 'preview':
      return sayPreview(answer, named);
    case 'deleted':
      if (answer.deleted === 0) {
        if (answer.note !== undefined) return ['Nothing was erased.', ...sayLeft(answer)].join('\n');
        return 'Nothing to erase: these memories are gone already, or never were.';
      }
      return [
        `Erased ${answer.deleted}:`,
        ...sayList('', { items: listIn(answer, 'deleted_keys').items, total: answer.deleted }, (key) => key, { most: FEW }).slice(1),
        answer.disk === 'pending'
          ? 'The bytes leave the files on the disk shortly.'
          : 'This Valkey server is not ours: it is asked to write its files anew. omnimem health says so where it refuses.',
        ...sayLeft(answer),
        ...(answer.backups_note === undefined ? [] : [`✗ ${answer.backups_note}`]),
      ].join('\n');
  }
};

const sayLeft = (answer: Extract<ForgetResult, { status: 'deleted' }>): readonly string[] => [
  ...(answer.note === undefined ? [] : [answer.note]),
  ...(answer.changed_since_preview === undefined
    ? []
    : sayList('', listIn(answer, 'changed_since_preview'), (key) => key, { most: FEW }).slice(1)),
];

/** What was not `named` by its key may say something else when it is confirmed: the id of the preview sees that. */
const sayPreview = (answer: Preview, named: boolean): string => {
  const { total, by_namespace = {}, facts, suppressed_topics, preview_id, note } = answer;
  const targets = listIn(answer, 'targets').items;
  const project_names = listIn(answer, 'project_names').items;
  const kept = listIn(answer, 'suppressions_kept');
  const byKeys = named && total <= NAMED && targets.length === total && targets.every(({ key }) => key.startsWith('mem:'));
  const counts = Object.entries(by_namespace).map(([namespace, count]) => `${count} ${namespace}`);
  return [
    ...(project_names.length > 0 ? [`The whole project is meant, by all of its names: ${project_names.join(', ')}.`] : []),
    `Nothing was erased yet. ${total} would go for good (${counts.join(', ')}${facts ? `; ${facts} of them facts drawn from others` : ''}):`,
    ...targets.map(({ key, content }) => `  ${key}  ${oneLine(content, 80)}`),
    ...(total > targets.length ? [`  and ${total - targets.length} more`] : []),
    ...(suppressed_topics ? [`  with ${suppressed_topics} suppressed topics that their dead ends became`] : []),
    ...(kept.total > 0
      ? [
          `  These topics stay suppressed, since somebody else suppressed them too: ${kept.items.join(', ')}${kept.total > kept.items.length ? ` and ${kept.total - kept.items.length} more` : ''}`,
        ]
      : []),
    ...(note === undefined ? [] : [note]),
    '',
    `To erase exactly these: omnimem forget --confirm ${byKeys ? targets.map(({ key }) => key).join(' ') : preview_id}`,
    `Add --receipt for a proof.${byKeys ? '' : ' The preview is good for half an hour.'}`,
  ].join('\n');
};
