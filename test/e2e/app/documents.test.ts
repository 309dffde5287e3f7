import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../services/ops/store.js';
import { verifyView, viewsNamed } from '../../../services/ops/views.js';
import { eventually } from '../../support/mcp.js';
import { realModel } from '../../support/real-model.js';
import { connectTools, keyOf, resultsOf, type Tools } from './client.js';
import { startWhole } from './instance.js';

const FOLDER = fileURLToPath(new URL('../../fixtures/devdocs/', import.meta.url));
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.txt'));
const textOf = (file: string): string => readFileSync(FOLDER + file, 'utf8');

/** What somebody would ask who knows what is meant and not how it is worded. The name begins as the file's does. */
const PARAPHRASES: readonly (readonly [question: string, file: string])[] = [
  ['open the shell line I am typing in my editor', 'til--bash-edit'],
  ['put my half-written message to the assistant aside for later', 'til--claude-code-stash'],
  ['remove repeated elements from a sequence but keep their order', 'til--python-deduplicate'],
  ['add ten minutes to a timestamp in the database', 'til--mysql-doing-date-math'],
  ['grow the selected region in the editor from its other side', 'til--vim-switch'],
  ['search the code for any one of several words at once', 'til--unix-find'],
  ['print what the cloud command line answers as a table', 'til--aws-output'],
  ['should servers fetch their configuration from a central master or apply it themselves', 'govuk-aws--docs-architecture-decisions-0006'],
  ['how infrastructure code is laid out in folders', 'govuk-aws--docs-architecture-decisions-0010'],
  ['how machines resolve internal and public host names', 'govuk-aws--docs-architecture-decisions-0015'],
  ['managed relational databases instead of ones we run on virtual machines', 'govuk-aws--docs-architecture-decisions-0018'],
  ['where HTTPS certificates come from and who decrypts the traffic', 'govuk-aws--docs-architecture-decisions-0021'],
  ['moving away from MongoDB to a hosted document store', 'govuk-aws--docs-architecture-decisions-0038'],
];

/** What only the exact token connects. */
const IDENTIFIERS: readonly (readonly [identifier: string, file: string])[] = [
  ['pg_get_constraintdef', 'til--postgres-show'],
  ['CTRL-X CTRL-E', 'til--bash-edit'],
  ['DATE_SUB', 'til--mysql-doing-date-math'],
  ['setIfMissing', 'til--javascript-add-item'],
  ['Awaited', 'til--typescript-type-promise'],
  ['Rummager', 'govuk-aws--docs-architecture-decisions-0029'],
  ['Licensify', 'govuk-aws--docs-architecture-decisions-0038'],
  ['BREAKING CHANGE Fußzeile', 'conventionalcommits.org--content-v1.0.0-index.de'],
  ['约定式提交规范', 'conventionalcommits.org--content-v1.0.0-index.zh-hans'],
];

const model = await realModel();
const unreachable = typeof model === 'string' ? `: SKIPPED, no road leads to the model. ${model}` : '';

describe.skipIf(typeof model === 'string')(`real documents, the real model, the whole product${unreachable}`, () => {
  const dataDir = mkdtempSync('/tmp/omt-Dokumente und Größe ');
  const env = { EMBEDDING: 'minilm', OMNIMEM_MODEL_DIR: typeof model === 'string' ? '' : model.dir };
  let instance: Awaited<ReturnType<typeof startWhole>>;
  let tools: Tools;
  const keys = new Map<string, string>();

  const start = async (): Promise<void> => {
    instance = await startWhole(dataDir, env);
    await instance.provider.ready();
    tools = await connectTools(instance.url);
  };
  const stop = async (): Promise<void> => {
    await tools?.close();
    await instance?.close();
  };
  const vectorsThere = (): Promise<void> =>
    eventually(
      () => instance.opened?.index.serving?.missing.size === 0,
      () => instance.opened?.index.stats(),
      60_000,
    );
  beforeAll(start);
  afterAll(async () => {
    await stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const keyFor = (prefix: string): string => {
    const file = FILES.find((name) => name.startsWith(prefix));
    if (!file) throw new Error(`no document ${prefix}`);
    return keys.get(file) ?? '';
  };
  const expectFound = async (): Promise<void> => {
    for (const [question, file] of PARAPHRASES) {
      const found = resultsOf(await tools.call('recall', { query: question, top_k: 3 }));
      expect
        .soft(
          found.map(({ key }) => key),
          question,
        )
        .toContain(keyFor(file));
    }
    for (const [identifier, file] of IDENTIFIERS) {
      const [best] = resultsOf(await tools.call('recall', { query: identifier }));
      expect.soft(best?.key, identifier).toBe(keyFor(file));
    }
  };

  it('remembers each document whole, byte for byte', async () => {
    for (const file of FILES) {
      const content = textOf(file);
      const stored = await tools.call('remember', { content, project: 'devdocs', tags: [file.split('--')[0] ?? ''], licence: 'MIT' });
      expect(stored, file).toMatchObject({ status: 'stored' });
      keys.set(file, keyOf(stored));
    }
    for (const file of FILES) {
      const [detail] = resultsOf(await tools.call('recall_detail', { keys: [keyFor(file)] }));
      expect(detail?.content === textOf(file), file).toBe(true);
    }
  });

  it('finds them by paraphrase and by exact identifier', async () => {
    await vectorsThere();
    await expectFound();
  });

  it('finds what only the end of a long text says', async () => {
    const watch = 'The night watch passed without incident and the sea was calm around the breakwater. ';
    const content = `${watch.repeat(200)}The spare key of the pump room hangs behind the barometer, tag ZK-4471.`;
    const stored = await tools.call('remember', { content, project: 'devdocs' });
    await vectorsThere();
    for (const query of ['ZK-4471', 'where is the spare key to the pump room'])
      expect(resultsOf(await tools.call('recall', { query }))[0]?.key, query).toBe(stored.key);
  });

  it('answers nothing to a question about something else', async () => {
    const answer = await tools.call('recall', { query: 'favourite recipe for plum dumplings with cinnamon' });
    expect(answer).toMatchObject({ results: [], message: expect.stringContaining('No memory matches') });
  });

  it('finds the same after a restart, and every view is what a replay makes of the log', async () => {
    await stop();
    await start();
    await vectorsThere();
    await expectFound();
    const target = instance.opened?.log && { path: `${dataDir}/valkey/valkey.sock` };
    if (!target) throw new Error('not open');
    const store = await openStore({ target, tenant: 'local' });
    for (const view of viewsNamed()) expect(await verifyView(store, view, new AbortController().signal)).toMatchObject({ equal: true });
    store.close();
    const { issues } = (await tools.call('health')) as { issues: { severity: string }[] };
    expect(issues.filter(({ severity }) => severity === 'red')).toEqual([]);
  });
});
