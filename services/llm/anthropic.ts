import { Anthropic } from '@anthropic-ai/sdk';
import { fromSdk } from './errors.js';
import { modelError } from './failure.js';
import type { Usage } from './port.js';

export type Message = { readonly model: string; readonly system: string; readonly prompt: string; readonly maxTokens: number };

/** One message to a service and its answer. */
export type Transport = (message: Message, signal: AbortSignal) => Promise<{ readonly text: string; readonly usage: Usage }>;

/**
 * The official SDK, with everything of ours in our hands: no retries of its own, no credentials from elsewhere, no log on
 * standard output. Throws ModelError.
 */
export const anthropicTransport = ({ apiKey, baseURL }: { readonly apiKey: string; readonly baseURL?: string | undefined }): Transport => {
  const client = new Anthropic({ apiKey, baseURL: baseURL ?? 'https://api.anthropic.com', maxRetries: 0, logLevel: 'off' });
  return async ({ model, system, prompt, maxTokens }, signal) => {
    const answer = await client.messages
      .create({ model, max_tokens: maxTokens, system, messages: [{ role: 'user', content: prompt }] }, { signal })
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw fromSdk(error);
      });
    // A proxy may answer 200 with a page of its own.
    if (typeof answer !== 'object' || answer === null || !Array.isArray(answer.content)) throw modelError('GARBAGE', 'no message');
    if (answer.stop_reason === 'refusal') throw modelError('REFUSED');
    const text = answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return { text, usage: { input: answer.usage?.input_tokens ?? 0, output: answer.usage?.output_tokens ?? 0 } };
  };
};
