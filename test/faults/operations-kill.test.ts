import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createForgetPlans } from '../../services/commands/forget-plan.js';
import { openTestApp, type TestApp } from '../support/app.js';
import { take } from '../support/backup.js';
import { TEST_SEED } from '../support/chance.js';
import { appendOf, newId, newMemory, openTestLog, remembered, seededNumbers } from '../support/eventlog.js';
import { startValkey, type TestValkey } from '../support/valkey.js';
import { type Child, cloneTenant, compileChild, OPERATIONS, type Operation, outcomeOf, type Plan } from './operations.js';

const SOAK = process.env.SOAK !== undefined;
const ROUNDS = Number(process.env.TEST_ROUNDS ?? (SOAK ? 3 : 1));
const random = seededNumbers(TEST_SEED);
/** More than one batch of everything: 200 are erased, 250 undone, 200 migrated, 200 merged in one step. `SOAK=1`: three of them. */
const MEMORIES = SOAK ? 450 : 280;
const LONG = { timeout: 400_000 };

let valkey: TestValkey;
let base: TestApp;
let home: string;
let start: (args: readonly string[]) => Child;
let plan: Plan;
/** What there is before anything is done. */
let before: readonly string[];
const known = new Set<string>();
const children: Child[] = [];
/** What an undisturbed run left, and how long it took. */
const undisturbed = new Map<Operation, { readonly outcome: readonly string[]; readonly milliseconds: number }>();

const ids = (text: string): readonly string[] => text.match(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g) ?? [];

/** Memories, one in ten in another project, tagged by one bulk action under one correlation. */
const fill = async ({ log }: Pick<TestApp, 'log'>, name: string, correlation: string): Promise<void> => {
  const writes = Array.from({ length: MEMORIES }, (_, i) =>
    newMemory('', { events: [remembered(`The ${name} barge carries cargo${i}.`, { tags: ['old'], project: i % 10 ? name : 'kept' })] }),
  );
  await log.append(appendOf(writes));
  for (let from = 0; from < writes.length; from += 300) {
    const batch = writes.slice(from, from + 300).map(({ subject }) => ({
      subject,
      expected: 1,
      events: [{ type: 'MemoryRetagged' as const, data: { tags: ['legacy'], previous_tags: ['old'] } }],
    }));
    await log.append(appendOf(batch, { correlation }));
  }
};

beforeAll(async () => {
  start = await compileChild();
  home = mkdtempSync(join(tmpdir(), 'omt-operations-'));
  valkey = await startValkey({ aof: 'everysec' });
  base = await openTestApp({ valkey });
  plan = { commandId: newId(), previewId: '', correlation: newId(), folder: join(home, 'backups') };
  await fill(base, 'local', plan.correlation);
  await base.app.commands.setProjectContext(
    { project_name: 'local', description: 'Barges of the canal.', stack: 'wood', goals: '', current_state: '' },
    base.call,
  );
  const preview = await base.app.commands.forget({ project: 'local' }, base.call);
  if (preview.status !== 'preview') throw new Error(preview.status);
  plan = { ...plan, previewId: preview.preview_id };
  await using other = await openTestLog({ valkey });
  await fill(other, 'distant', newId());
  await take(other, plan.folder);
  for (const log of [base.log, other.log]) {
    for (const { kind, ...entry } of await log.read('0-0', 5_000)) for (const id of ids(JSON.stringify({ kind, ...entry }))) known.add(id);
  }
  for (const id of ids(JSON.stringify(plan))) known.add(id);
  await base.close();
  before = await outcomeOf(valkey, base.keys.tenant, known);
}, 120_000);

afterAll(async () => {
  for (const child of children) await child.kill().catch(() => undefined);
  await valkey.stop();
  rmSync(home, { recursive: true, force: true });
});

const begin = (tenant: string, what: Operation | 'restart'): Child => {
  const child = start([valkey.socket, tenant, mkdtempSync(join(home, 'data-')), what, JSON.stringify(plan)]);
  children.push(child);
  return child;
};

/** Does it all; answers how long it took. */
const complete = async (tenant: string, what: Operation | 'restart'): Promise<number> => {
  const child = begin(tenant, what);
  expect(await child.next()).toBe('ready');
  const milliseconds = Number(await child.next());
  expect(await child.next()).toBe('settled');
  await child.kill('SIGTERM');
  return milliseconds;
};

const killSomewhere = async (tenant: string, what: Operation, milliseconds: number): Promise<void> => {
  const child = begin(tenant, what);
  expect(await child.next()).toBe('ready');
  await new Promise((resolve) => setTimeout(resolve, random() * milliseconds));
  await child.kill();
};

const fresh = async (): Promise<string> => {
  const tenant = `t${newId().toLowerCase()}`;
  await cloneTenant(valkey.client(), base.keys, tenant);
  return tenant;
};

/** Between the first step of an erasure and the kill, at most. */
const HALF_WAY_MS = 20;

describe.each(OPERATIONS)('%s', (what) => {
  beforeAll(async () => {
    const tenant = await fresh();
    const milliseconds = await complete(tenant, what);
    const outcome = await outcomeOf(valkey, tenant, known);
    if (what === 'replay') expect(outcome).toEqual(before);
    else expect(outcome).not.toEqual(before);
    undisturbed.set(what, { outcome, milliseconds });
  }, 200_000);

  it(
    `that is killed at any moment and repeated leaves what an undisturbed one leaves (TEST_SEED=${TEST_SEED}, ${ROUNDS} times)`,
    LONG,
    async () => {
      const { outcome, milliseconds = 0 } = undisturbed.get(what) ?? {};
      for (let round = 0; round < ROUNDS; round++) {
        const tenant = await fresh();
        await killSomewhere(tenant, what, milliseconds);
        await complete(tenant, what);
        expect(await outcomeOf(valkey, tenant, known), `TEST_SEED=${TEST_SEED}, round ${round}`).toEqual(outcome);
      }
    },
  );
});

it.each(['forget', 'deleteProject'] as const)(
  `an erasure by %s that is killed half-way goes on by itself at the next start (TEST_SEED=${TEST_SEED}, ${ROUNDS} times)`,
  LONG,
  async (what) => {
    const { outcome } = undisturbed.get(what) ?? {};
    const plans = (tenant: string) =>
      createForgetPlans(valkey.client(), { ...base.keys, forgetPlan: (id) => `${tenant}:forget-plan:${id}` });
    /** Kills it at a random moment after it was begun, as long as it is not done. */
    const killHalfWay = async (tenant: string): Promise<void> => {
      const child = begin(tenant, what);
      expect(await child.next()).toBe('ready');
      const done = child.next().catch(() => undefined);
      const begun = async (): Promise<boolean> => (await plans(tenant).unfinished()).length > 0;
      while (!(await Promise.race([begun(), done]))) await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setTimeout(resolve, random() * HALF_WAY_MS));
      await child.kill();
    };
    for (let cut = 0, round = 0; cut < ROUNDS; round++) {
      expect(round).toBeLessThan(20 * ROUNDS);
      const tenant = await fresh();
      await killHalfWay(tenant);
      if ((await plans(tenant).unfinished()).length === 0) continue;
      cut += 1;
      const child = begin(tenant, 'restart');
      await expect.poll(() => plans(tenant).unfinished(), { timeout: 60_000 }).toEqual([]);
      await child.kill('SIGTERM');
      expect(await outcomeOf(valkey, tenant, known), `TEST_SEED=${TEST_SEED}, round ${round}`).toEqual(outcome);
    }
  },
);
