import {
  type GetPromptResult,
  type ListPromptsResult,
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Server,
} from '@modelcontextprotocol/server';
import { guideText } from './guide.js';

export const GUIDE_PROMPT = 'omnimem_guide';
export const GUIDE_URI = 'omnimem://guide';

const DESCRIPTION = 'How an agent works with this memory: what to call when, what to write down, and what not to do.';

const PROMPTS: ListPromptsResult['prompts'] = [{ name: GUIDE_PROMPT, title: 'OmniMem guide', description: DESCRIPTION }];
const RESOURCES: ListResourcesResult['resources'] = [
  { uri: GUIDE_URI, name: GUIDE_PROMPT, title: 'OmniMem guide', description: DESCRIPTION, mimeType: 'text/markdown' },
];

/** Offers the longer guide as a prompt and as a resource: many hosts show one of the two, and ask for both lists whatever is advertised. */
export const offerGuide = (server: Server): void => {
  server.setRequestHandler('prompts/list', () => ({ prompts: PROMPTS }));
  server.setRequestHandler('prompts/get', ({ params }) => promptNamed(params.name));
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params }) => resourceAt(params.uri));
};

const promptNamed = (name: string): GetPromptResult => {
  if (name !== GUIDE_PROMPT)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no prompt ${JSON.stringify(name.slice(0, 128))}. Prompts: ${GUIDE_PROMPT}.`,
    );
  return { description: DESCRIPTION, messages: [{ role: 'user', content: { type: 'text', text: guideText() } }] };
};

const resourceAt = (uri: string): ReadResourceResult => {
  if (uri !== GUIDE_URI)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no resource ${JSON.stringify(uri.slice(0, 128))}. Resources: ${GUIDE_URI}.`,
    );
  return { contents: [{ uri: GUIDE_URI, mimeType: 'text/markdown', text: guideText() }] };
};
