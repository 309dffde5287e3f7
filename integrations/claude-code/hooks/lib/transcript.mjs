// What a session did, from the end of its transcript: how often it changed files since it last wrote to memory.
import { open } from 'node:fs/promises';

/** Only the end of a long transcript is read. */
const MOST_BYTES = 4 * 1024 * 1024;
const CHANGES = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);
const RECORDS = /omnimem.*__(remember|remember_document|revise|record_experience|log_abandoned|update_project_state)$/;

export const changesSinceRecorded = async (path) => {
  let changes = 0;
  for (const name of toolNames(await endOf(path))) {
    if (RECORDS.test(name)) changes = 0;
    else if (CHANGES.has(name)) changes += 1;
  }
  return changes;
};

const endOf = async (path) => {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - MOST_BYTES);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - from), position: from });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
};

const toolNames = (text) => text.split('\n').flatMap((line) => (line.includes('"tool_use"') ? namesIn(line) : []));

const namesIn = (line) => {
  try {
    const content = JSON.parse(line)?.message?.content;
    if (!Array.isArray(content)) return [];
    return content.flatMap((part) => (part?.type === 'tool_use' && typeof part.name === 'string' ? [part.name] : []));
  } catch {
    return [];
  }
};
