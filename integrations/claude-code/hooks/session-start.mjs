#!/usr/bin/env node
// SessionStart: puts the project's briefing before the model. Without a server it says so in one line and lets the session start.
import { framed } from './lib/frame.mjs';
import { runHook } from './lib/hook.mjs';
import { callTool, serverUrl } from './lib/memory.mjs';
import { projectOf } from './lib/project.mjs';

const TOKENS = 2_200;
/** After a compaction there is little room, and the summary holds most of it. */
const TOKENS_AFTER_COMPACTION = 900;
const RECORD =
  'The conversation was compacted. Decisions, causes of bugs and dead ends from before that are not in memory yet: record them now with remember, record_experience or log_abandoned.';

const contextOf = (additionalContext) => ({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } });

const brief = async ({ cwd, source }, signal) => {
  const folder = typeof cwd === 'string' && cwd ? cwd : process.env.CLAUDE_PROJECT_DIR || process.cwd();
  const project = await projectOf(folder);
  const compacted = source === 'compact';
  const max_tokens = compacted ? TOKENS_AFTER_COMPACTION : TOKENS;
  const text = await callTool('briefing', { project, max_tokens }, signal);
  const parts = [...(text === undefined ? [] : [framed(text)]), ...(compacted ? [RECORD] : [])];
  return parts.length === 0 ? undefined : contextOf(parts.join('\n\n'));
};

/** Without what may be a secret in it. */
const placeOf = (url) => (URL.canParse(url) ? new URL(url).host : 'OMNIMEM_URL is no address');

const unavailable = ({ message }) => {
  const line = `OmniMem: memory unavailable (${message}, ${placeOf(serverUrl())})`;
  return { systemMessage: line, ...contextOf(`${line}. This session starts without a briefing; do not claim to have looked into memory.`) };
};

await runHook(brief, unavailable);
