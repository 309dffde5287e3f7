import type { McpHttp } from '../../../services/mcp/http.js';
import { openTestApp, type TestApp, type TestAppOptions } from '../../support/app.js';
import { viewsServe } from '../../support/views.js';
import { connectTools, keyOf, serve, type Tools } from '../app/client.js';

/** The whole product with a client of the library at its HTTP address. */
export type Served = {
  readonly test: TestApp;
  readonly http: McpHttp;
  readonly tools: Tools;
  readonly call: Tools['call'];
  readonly refused: Tools['refused'];
  /** Remembers whatever the store holds, and answers the key. */
  readonly remember: (content: string, more?: object) => Promise<string>;
  /** Ends everything; first every view is verified, unless the test damaged the store on purpose. */
  readonly end: (verified?: boolean) => Promise<void>;
};

export const openServed = async (options?: TestAppOptions): Promise<Served> => {
  const test = await openTestApp(options);
  await viewsServe(test);
  const http = await serve(test.app);
  const tools = await connectTools(http.url);
  return {
    test,
    http,
    tools,
    call: tools.call,
    refused: tools.refused,
    remember: async (content, more = {}) => keyOf(await tools.call('remember', { content, force: true, ...more })),
    end: async (verified = true) => {
      await tools.close();
      await http.close();
      if (verified) await test.verifyAll();
      await test.end();
    },
  };
};
