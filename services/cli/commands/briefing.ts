import type { BriefingResult } from '../../api.js';
import { readableBriefing } from '../../mcp/briefing-text.js';
import { projectNameOf } from '../../project-name.js';
import { type AddCommand, does, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { wholeNumber } from '../parse.js';

export const addBriefing: AddCommand = (program) => {
  const command = program
    .command('briefing')
    .summary('what to know before work begins')
    .description(
      'Tells where a project stands, what contradicts, what was given up, what may come back and what is new. Without a name it is about the project that this folder belongs to; with --all about everything.',
    )
    .argument('[project]', 'name of the project')
    .option('--all', 'everything, of no project in particular')
    .option('--max-tokens <n>', 'at most so many tokens', wholeNumber(400))
    .addHelpText('after', examples('omnimem briefing', 'omnimem briefing shop', 'omnimem at 2026-05-03 briefing shop'));
  does<{ readonly all?: boolean; readonly maxTokens?: number }>(command, async (context, { all, maxTokens }, name) => {
    const project = all ? undefined : typeof name === 'string' ? name : (await projectNameOf(process.cwd())).project;
    const answer = await context.tool<BriefingResult>('briefing', { project, max_tokens: maxTokens });
    context.answer(answer, readableBriefing);
    return EXIT.ok;
  });
};
