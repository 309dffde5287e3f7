import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mergeBackup } from '../../../services/backup/merge.js';
import { textClaim } from '../../../services/commands/claims.js';
import { contents, forget, remember, restore, take, temporaryFolder } from '../../support/backup.js';
import { appendOf, newKey, openTestLog, readAll, revised, type TestLog } from '../../support/eventlog.js';
import { caughtUp, expectVerified, memoryIn, projectorDeps, startProjector } from '../../support/projector.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
beforeAll(async () => {
  valkey = await startValkey();
});
afterAll(() => valkey.stop());

const merge = ({ valkey: server, keys }: TestLog, path: string, dryRun = false) =>
  mergeBackup({ path, target: { path: server.socket }, tenant: keys.tenant, secrets: {}, actor: 'test', dryRun });

const revise = ({ log }: TestLog, subject: string, expected: number, text: string) =>
  log.append(appendOf([{ subject, expected, events: [revised(text)] }]));

/** Two machines that went on from one history: what each did afterwards is in the names. */
const twoMachines = async (root: string, here: TestLog, there: TestLog) => {
  const names = ['untouched', 'revisedThere', 'revisedHere', 'revisedInBoth', 'forgottenThere', 'forgottenHere'] as const;
  const subjects = Object.fromEntries(names.map((name) => [name, newKey()])) as Record<(typeof names)[number], string>;
  for (const name of names) await remember(there, subjects[name], `text of ${name}`);
  await take(there, root, { name: 'common' });
  await restore(here, join(root, 'common'), { standby: true });
  const newThere = newKey();
  const newHere = newKey();
  await remember(there, newThere, 'new there');
  await remember(here, newHere, 'new here');
  await revise(there, subjects.revisedThere, 1, 'revised there');
  await revise(here, subjects.revisedHere, 1, 'revised here');
  await revise(there, subjects.revisedInBoth, 1, 'one way');
  await revise(here, subjects.revisedInBoth, 1, 'the other way');
  await forget(there, subjects.forgottenThere, 1);
  await forget(here, subjects.forgottenHere, 1);
  const gone = newKey();
  await remember(there, gone, 'came and went there');
  await forget(there, gone, 1);
  await take(there, root, { name: 'there' });
  return { ...subjects, newThere, newHere, gone };
};

describe('a merge', () => {
  it('brings what is missing, memory by memory, names what differs and touches none of it', async () => {
    using folder = temporaryFolder();
    await using here = await openTestLog({ valkey });
    await using there = await openTestLog({ valkey });
    const subjects = await twoMachines(folder.path, here, there);
    const untouched = await here.redis.hgetall(here.keys.payloads(subjects.revisedInBoth));
    const forgotten = await here.redis.hgetall(here.keys.payloads(subjects.forgottenHere));
    const preview = await merge(here, join(folder.path, 'there'), true);
    const report = await merge(here, join(folder.path, 'there'));
    expect(report).toMatchObject({
      status: 'merged',
      new: 2,
      continued: 1,
      events: 4,
      differing: [subjects.revisedInBoth],
      unreadable: [],
    });
    expect(preview).toMatchObject({ status: 'dry_run', new: 2, continued: 1, events: 4, differing: [subjects.revisedInBoth] });
    expect(report.forgotten).toEqual([subjects.forgottenThere]);
    expect(await here.redis.hgetall(here.keys.payloads(subjects.revisedInBoth))).toEqual(untouched);
    expect(await here.redis.hgetall(here.keys.payloads(subjects.forgottenHere))).toEqual(forgotten);

    await using projector = startProjector(projectorDeps(here));
    await caughtUp(projector);
    await expectVerified(projector.deps);
    const text = async (key: string) => (await memoryIn(projector.deps, key))?.content;
    expect(await text(subjects.newThere)).toBe('new there');
    expect(await text(subjects.newHere)).toBe('new here');
    expect(await text(subjects.revisedThere)).toBe('revised there');
    expect(await text(subjects.revisedHere)).toBe('revised here');
    expect(await text(subjects.revisedInBoth)).toBe('the other way');
    expect(await text(subjects.forgottenThere)).toBeUndefined();
    expect(await text(subjects.forgottenHere)).toBeUndefined();
    expect(await text(subjects.gone)).toBeUndefined();
  });

  it('gives new places that name the old ones, and the same bytes', async () => {
    using folder = temporaryFolder();
    await using here = await openTestLog({ valkey });
    await using there = await openTestLog({ valkey });
    const { newThere } = await twoMachines(folder.path, here, there);
    await merge(here, join(folder.path, 'there'));
    const find = async ({ log }: TestLog) =>
      (await readAll(log)).flatMap((entry) => (entry.kind === 'event' && entry.event.envelope.subject === newThere ? [entry.event] : []));
    const [[original], [copy]] = [await find(there), await find(here)];
    expect(copy?.envelope).toEqual({ ...original?.envelope, orig: original?.position });
    expect(copy?.position).not.toBe(original?.position);
    expect(await here.redis.hgetBuffer(here.keys.payloads(newThere), '1')).toEqual(
      await there.redis.hgetBuffer(there.keys.payloads(newThere), '1'),
    );
    const salt = (await here.redis.hget(here.keys.meta, 'salt')) ?? '';
    const claim = textClaim(salt, 'episodic', undefined, 'new there');
    expect(await here.log.claimHolders([claim])).toEqual([newThere]);
    expect(await here.redis.hget(here.keys.payloads(newThere), 'c')).toBe(claim);
  });

  it('changes nothing when it is done again', async () => {
    using folder = temporaryFolder();
    await using here = await openTestLog({ valkey });
    await using there = await openTestLog({ valkey });
    await twoMachines(folder.path, here, there);
    await merge(here, join(folder.path, 'there'));
    const before = await contents(here.redis, here.keys);
    expect(await merge(here, join(folder.path, 'there'))).toMatchObject({ status: 'unchanged', new: 0, continued: 0, events: 0 });
    expect(await contents(here.redis, here.keys)).toEqual(before);
  });
});
