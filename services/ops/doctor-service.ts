import { createServer } from 'node:net';
import type { HealthResult } from '../api.js';
import type { Config } from '../config.js';
import type { Instance } from '../valkey/instance.js';
import { type Finding, fail, ok, warn } from './doctor-finding.js';

/** Whether one runs; and when none does, whether its address could be had. */
export const inspectInstance = async ({ mcp }: Config, instance: Instance | undefined): Promise<readonly Finding[]> => {
  if (instance) {
    const where = instance.mcpUrl === undefined ? 'still starting' : instance.mcpUrl;
    const how = instance.attachPort === undefined ? '' : ', until its last client leaves';
    return [ok('instance', `process ${instance.pid}, ${where}${how}`)];
  }
  const taken = await whyTaken(mcp.host, mcp.port);
  if (taken === undefined) return [ok('instance', 'none runs; omnimem start runs one, and a command that needs one starts it')];
  return [
    warn(
      'instance',
      `none runs, and ${mcp.host}:${mcp.port} cannot be had (${taken})`,
      'Stop what uses that port, or set MCP_PORT or MCP_HOST.',
    ),
  ];
};

const whyTaken = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });

/** What the running instance says of its own health: each problem is a finding. */
export const inspectMemory = async (
  { mcp: { authToken } }: Config,
  instance: Instance | undefined,
  health: (url: string, token: string | undefined) => Promise<HealthResult>,
): Promise<readonly Finding[]> => {
  if (instance?.mcpUrl === undefined) return [ok('memory', 'not looked at, since no instance runs; omnimem health starts one and looks')];
  const { status, issues, records, log, vectors } = await health(instance.mcpUrl, authToken);
  const memories = Object.values(records).reduce((sum, count) => sum + count, 0);
  const summary = `${status}: ${memories} memories, ${log.events} events, ${vectors.pending} vectors pending`;
  return [
    status === 'red' ? fail('memory', summary, 'See below.') : ok('memory', summary),
    ...issues.map(({ severity, code, message, hint }) => (severity === 'red' ? fail : warn)('memory', `${code}: ${message}`, hint)),
  ];
};
