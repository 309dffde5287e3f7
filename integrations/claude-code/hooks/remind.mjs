#!/usr/bin/env node
// Stop and PreCompact: reminds to record, once in a session, when files were changed and nothing was written to memory since.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHook } from './lib/hook.mjs';
import { isUp } from './lib/memory.mjs';
import { changesSinceRecorded } from './lib/transcript.mjs';

/** Fewer changes than this are hardly worth a memory. */
const ENOUGH = 3;
const REASON =
  'Before you end: files were changed and nothing was written to memory since. If a later session would need it, call remember (decisions and why, cause and fix of a bug, constraints), record_experience or log_abandoned, and update_project_state. If there is nothing worth keeping, say so in one line and end.';
const TO_THE_HUMAN = 'OmniMem: files were changed and nothing was recorded since; the details of this session are about to be compacted.';

const nothing = () => undefined;

const remind = async ({ hook_event_name: event, session_id, transcript_path, stop_hook_active }, signal) => {
  if (/^(off|0|false|no)$/i.test(process.env.OMNIMEM_REMIND ?? '')) return undefined;
  if (stop_hook_active || typeof session_id !== 'string' || typeof transcript_path !== 'string') return undefined;
  if ((await changesSinceRecorded(transcript_path)) < ENOUGH || !(await isUp(signal))) return undefined;
  if (!(await firstTime(event, session_id))) return undefined;
  // Before a compaction the model cannot be reached, only the human; after it SessionStart tells the model.
  return event === 'PreCompact' ? { systemMessage: TO_THE_HUMAN } : { decision: 'block', reason: REASON };
};

/** Leaves a mark for this session, outside the project; when that cannot be done there is no reminder, rather than one at every turn. */
const firstTime = async (event, session) => {
  const folder = join(tmpdir(), `omnimem-hooks-${process.getuid?.() ?? 'user'}`);
  const mark = createHash('sha256').update(`${event}:${session}`).digest('hex').slice(0, 32);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, mark), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
};

await runHook(remind, nothing);
