import { z } from 'zod';
import { LIMITS } from '../../../domain/vocabulary.js';
import { defineTool } from '../tool.js';
import { force } from './parameters.js';

export const suppressTopic = defineTool({
  name: 'suppress_topic',
  title: 'Suppress a topic',
  description: `Keep a subject out of every recall until it is lifted with unsuppress_topic. For noise that keeps coming back, not for one memory (use deprioritise).
Memories that name the topic stay stored. Whole words count: go does not hide google.`,
  effect: 'writes',
  idempotent: true,
  parameters: {
    topic: z.string().describe(`Word or phrase, at most ${LIMITS.topic} characters.`),
    reason: z.string().optional().describe('Why; shown by list_suppressions.'),
    force,
  },
  output: { topic: 'string', reason: 'string', visible: 'boolean' },
  run: (input, { app, call }) => app.commands.suppressTopic(input, call),
});
