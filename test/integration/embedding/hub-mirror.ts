import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HubMirror = { readonly endpoint: string; readonly asked: string[]; close(): Promise<void> };

/** A server on loopback that answers the hub's paths for one model; `spoil` may answer a path in a way of its own. */
export const startHubMirror = async (
  files: ReadonlyMap<string, Buffer>,
  spoil: (path: string, content: Buffer, response: ServerResponse) => boolean = () => false,
): Promise<HubMirror> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace('/test/tiny/resolve/abc123/', '');
    asked.push(path);
    const content = files.get(path);
    if (content === undefined) {
      response.writeHead(404).end();
      return;
    }
    if (spoil(path, content, response)) return;
    response.writeHead(200, { 'content-length': content.length }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
