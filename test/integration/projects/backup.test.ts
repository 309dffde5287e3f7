import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectKey } from '../../../domain/project/key.js';
import { contents, restore, take, temporaryFolder } from '../../support/backup.js';
import { appendOf, newId, openTestLog, readAll, type TestLog } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

const SUBJECT = projectKey('my shop');

const set = ({ log }: TestLog, expected: number, description: string) =>
  log.append(
    appendOf([
      {
        subject: SUBJECT,
        expected,
        events: [
          {
            type: 'ProjectContextSet',
            data: { description, stack: '', goals: '', current_state: '', licence: 'own', provenance: 'asserted' },
          },
        ],
      },
    ]),
  );
const remove = ({ log }: TestLog, expected: number) =>
  log.forget({
    commandId: newId(),
    actor: 'test',
    at: '2026-05-03T12:00:00.000Z',
    subjects: [{ subject: SUBJECT, expected, deletes: [] }],
    result: {},
  });

it.each([
  ['all at once', false],
  ['in two runs, the first of which still had the text', true],
])('a project that was deleted and set anew comes back from a backup as it was: %s', async (_how, twice) => {
  using folder = temporaryFolder();
  await using source = await openTestLog({ valkey });
  await set(source, 0, 'The old saffron shop.');
  if (twice) await take(source, folder.path, { segmentEvents: 1 });
  await remove(source, 1);
  await set(source, 2, 'The new shop.');
  await take(source, folder.path, { segmentEvents: 1 });
  const before = await contents(source.redis, source.keys);

  await using target = await openTestLog({ valkey });
  expect(await restore(target, folder.path, { standby: true })).toMatchObject({ status: 'restored' });
  expect(await contents(target.redis, target.keys)).toEqual(before);
  expect((await readAll(target.log)).filter(({ kind }) => kind === 'fault')).toEqual([]);
  const [history] = await target.log.load([SUBJECT]);
  expect(history?.events.map(({ type, n }) => [type, n])).toEqual([
    ['ProjectDeleted', 2],
    ['ProjectContextSet', 3],
  ]);
});
