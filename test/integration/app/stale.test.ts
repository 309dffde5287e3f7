import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queries } from '../../../services/api.js';
import { createQueries } from '../../../services/queries/index.js';
import { openTestApp, type TestApp } from '../../support/app.js';

const LATE = { events: 3, note: 'late' };

let test: TestApp;
let key: string;
beforeAll(async () => {
  test = await openTestApp();
  const stored = await test.app.commands.remember({ content: 'The ferry leaves at nine.', project: 'coast' }, test.call);
  key = 'key' in stored ? String(stored.key) : '';
});
afterAll(() => test.end());

const queries = (): Queries =>
  createQueries({ ...test.queryParts, fresh: async () => LATE, duplicateThreshold: () => 0.9 }, test.app.queries.health);

/** Every query that looks at views; the others are `health`, `version`, and one that reads what was noted of recalls. */
const asked: Record<Exclude<keyof Queries, 'health' | 'version' | 'whyDidYouMention'>, () => Promise<object>> = {
  recall: () => queries().recall({ query: 'ferry' }, test.call),
  recallIndex: () => queries().recallIndex({ query: 'ferry' }, test.call),
  recallDetail: () => queries().recallDetail({ keys: [key] }, test.call),
  briefing: () => queries().briefing({}, test.call),
  listSuppressions: () => queries().listSuppressions({}, test.call),
  findDuplicates: () => queries().findDuplicates({}, test.call),
  memoryAudit: () => queries().memoryAudit({}, test.call),
  explainMemory: () => queries().explainMemory({ key }, test.call),
  recentKnowledge: () => queries().recentKnowledge({}, test.call),
  getProjectContext: () => queries().getProjectContext({ project_name: 'coast' }, test.call),
  listProjects: () => queries().listProjects({}, test.call),
  getExperience: () => queries().getExperience({ key }, test.call),
  experienceSummary: () => queries().experienceSummary({}, test.call),
  warnIfAbandoned: () => queries().warnIfAbandoned({ query: 'ferry' }, test.call),
  queueStatus: () => queries().queueStatus(test.call),
};

it.each(Object.entries(asked))('%s says so when a view was behind the log', async (_, ask) => {
  expect(await ask()).toMatchObject({ stale: LATE });
});
