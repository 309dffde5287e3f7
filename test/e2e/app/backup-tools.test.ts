import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { McpHttp } from '../../../services/mcp/http.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { connectTools, serve, type Tools } from './client.js';

let test: TestApp;
let http: McpHttp;
let tools: Tools;

beforeAll(async () => {
  test = await openTestApp();
  http = await serve(test.app);
  tools = await connectTools(http.url, 'backup-test');
});
afterAll(async () => {
  await tools.close();
  await http.close();
  await test.end();
});

it('dump_to_file, list_backups and restore_from_file, through a client', async () => {
  expect(await tools.call('list_backups')).toMatchObject({ backups: [] });
  await tools.call('remember', { content: 'Backups are tried out every quarter.' });
  const dumped = await tools.call('dump_to_file');
  expect(dumped).toMatchObject({ filename: expect.any(String), total_events: expect.any(Number) });
  expect(await tools.call('list_backups')).toMatchObject({ backups: [{ filename: dumped.filename }] });
  expect(await tools.call('restore_from_file', { filename: dumped.filename })).toMatchObject({ status: 'dry_run', would: 'unchanged' });
  expect(await tools.refused('restore_from_file', { filename: '../elsewhere' })).toMatchObject({
    code: expect.stringMatching(/VALIDATION|NOT_FOUND/),
  });
});

it('restore_from_file says so when no digest proves what a backup of an earlier program carries beside the log', async () => {
  await tools.call('remember', { content: 'Earlier programs wrote backups too.' });
  const { filename, path } = await tools.call('dump_to_file', { full: true, filename: 'earlier' });
  const check = () => tools.call('restore_from_file', { filename });
  const proved = await check();
  expect(proved).not.toHaveProperty('side_unproven');
  const manifest = join(String(path), 'manifest.json');
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), side_sha256: undefined }));
  const unproven = await check();
  expect(unproven).toMatchObject({ side_unproven: true, note: expect.stringContaining('no digest proves') });
  const { tools: listed } = await tools.client.listTools();
  const told = listed.find(({ name }) => name === 'restore_from_file')?.outputSchema?.properties ?? {};
  expect(Object.keys(told)).toEqual(expect.arrayContaining(Object.keys(unproven)));
});
