import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MessagesServer, startMessagesServer } from '../../support/messages-server.js';
import { built, environment, newFolder, omnimem, processesOn, remove, until } from './run.js';

let model: MessagesServer;
const folder = newFolder();
const env = (): NodeJS.ProcessEnv =>
  environment(folder, { ANTHROPIC_API_KEY: 'sk-cli-test', ANTHROPIC_BASE_URL: model.url, ENRICHMENT_MAX_ATTEMPTS: '1' });
beforeAll(async () => {
  model = await startMessagesServer();
  await built();
});
afterAll(async () => {
  await model.close();
  remove(folder);
});

it('enrich tries again what was given up, waits for it, and shows how the queue stands', { timeout: 240_000 }, async () => {
  const bare = await omnimem(['enrich'], environment(folder));
  expect(bare).toMatchObject({ code: 1, out: expect.stringContaining('ANTHROPIC_API_KEY') });

  model.answer = () => ({ status: 400, type: 'invalid_request_error' });
  const stored = await omnimem(['remember', 'The registry keeps images for ninety days.', '--json'], env());
  expect(JSON.parse(stored.out)).toMatchObject({ enrichment: 'queued' });
  const failed = await omnimem(['enrich', '--wait', '--json'], env());
  expect(JSON.parse(failed.out)).toMatchObject({ pending: 0, parked_total: 1, parked: [{ code: 'REJECTED', attempts: 1 }] });
  expect(failed.code).toBe(1);

  model.answer = () => ({ text: '[{"text": "Images stay in the registry for ninety days.", "kind": "fact"}]' });
  const done = await omnimem(['enrich', '--parked', '--wait'], env());
  expect(done).toMatchObject({ code: 0, out: expect.stringContaining('0 pending, 0 of them worked on, 0 parked') });
  expect(JSON.stringify([stored, failed, done])).not.toContain('sk-cli-test');
  await until(() => model.open() === 0, 'the model is left alone');
  await until(() => processesOn(folder).length === 0, 'instances that called the model end with their last client');
});
