import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OWN_LIMIT, runHook } from './run-hook.js';
import { startStub } from './stub.js';

let root: string;
let stub: Awaited<ReturnType<typeof startStub>>;
let sessions = 0;
let session: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'omt-remind-'));
  stub = await startStub((response) => void response.end('{"status":"up"}'));
});
beforeEach(() => {
  session = `session-${++sessions}`;
});
afterAll(async () => {
  await stub[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const used = (name: string): string =>
  JSON.stringify({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'tool_use', id: 'x', name, input: {} }] } });
const transcript = (...lines: readonly string[]): string => {
  const path = join(root, `${session}.jsonl`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
};
const EDITS = [used('Edit'), used('Write'), used('MultiEdit')];

const remind = (path: string, event = 'Stop', env: Record<string, string> = {}, more: object = {}) =>
  runHook('remind.mjs', {
    env: { OMNIMEM_URL: stub.url, TMPDIR: root, ...env },
    input: { hook_event_name: event, session_id: session, transcript_path: path, stop_hook_active: false, ...more },
  });

describe('the reminder to record', () => {
  it('comes once in a session in which files were changed and nothing was recorded', async () => {
    const path = transcript(...EDITS);
    const first = await remind(path);
    expect(first).toMatchObject({
      code: 0,
      stderr: '',
      answer: { decision: 'block', reason: expect.stringContaining('record_experience') },
    });
    expect(await remind(path)).toMatchObject({ code: 0, stdout: '' });
  });

  it('speaks to the human before a compaction, since the model cannot be reached then', async () => {
    const { answer } = await remind(transcript(...EDITS), 'PreCompact');
    expect(answer).toEqual({ systemMessage: expect.stringContaining('nothing was recorded') });
  });

  it.each([
    'mcp__omnimem__remember',
    'mcp__plugin_omnimem_omnimem__update_project_state',
    'mcp__plugin_omnimem_omnimem__record_experience',
  ])('does not come after %s, and comes for what was changed after that', async (record) => {
    expect((await remind(transcript(...EDITS, used(record)))).stdout).toBe('');
    expect((await remind(transcript(...EDITS, used(record), ...EDITS))).answer?.decision).toBe('block');
  });

  it.each([
    ['a question was answered', [used('Read'), used('Bash'), used('mcp__omnimem__recall')]],
    ['a line or two were changed', [used('Edit'), used('Edit')]],
    ['the transcript is no JSON', ['{"tool_use" Edit', 'not json']],
  ])('does not come when %s', async (_, lines) => {
    expect(await remind(transcript(...lines))).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('does not come a second time for its own turn, nor when it is switched off, nor without a transcript', async () => {
    const path = transcript(...EDITS);
    expect((await remind(path, 'Stop', {}, { stop_hook_active: true })).stdout).toBe('');
    expect((await remind(path, 'Stop', { OMNIMEM_REMIND: 'off' })).stdout).toBe('');
    expect(await remind(join(root, 'missing.jsonl'))).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await runHook('remind.mjs', { env: { OMNIMEM_URL: stub.url, ...OWN_LIMIT } })).toMatchObject({ code: 0, stdout: '' });
  });

  it('does not come when there is no server to record with, or one that hangs', async () => {
    expect(await remind(transcript(...EDITS), 'Stop', { OMNIMEM_URL: 'http://127.0.0.1:1/mcp' })).toMatchObject({ code: 0, stdout: '' });
    await using hanging = await startStub(() => undefined);
    expect(await remind(transcript(...EDITS), 'Stop', { OMNIMEM_URL: hanging.url, ...OWN_LIMIT })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('reads the end of a transcript that is longer than it can take', async () => {
    const filler = JSON.stringify({ type: 'user', message: { content: 'x'.repeat(1_000) } });
    const path = transcript(used('mcp__omnimem__remember'), ...Array.from({ length: 6_000 }, () => filler), ...EDITS);
    expect((await remind(path)).answer?.decision).toBe('block');
  });
});
