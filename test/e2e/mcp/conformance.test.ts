import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startTestServer } from '../../support/mcp.js';
import { startFixture } from './conformance-fixture.js';

const CLI = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Runs the protocol group's own test client; exit 0 when all but the listed scenarios pass and the listed ones fail. */
const conformance = async (url: string, ...args: string[]): Promise<{ code: number | null; output: string }> => {
  const results = await mkdtemp(join(tmpdir(), 'omt-conformance-'));
  try {
    const child = spawn(process.execPath, [CLI, 'server', '--url', url, '-o', results, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const hear = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  } finally {
    await rm(results, { recursive: true, force: true });
  }
};

describe('the conformance suite', () => {
  it('passes for every server scenario that applies', async () => {
    await using server = await startTestServer();
    const { code, output } = await conformance(server.url, '--expected-failures', resolve('test/e2e/mcp/conformance-baseline.yml'));
    expect(code, output).toBe(0);
  });
});

describe('the HTTP layer, with the tools that the suite asks for', () => {
  it.each([
    'tools-call-simple-text',
    'tools-call-error',
    'logging-set-level',
    'tools-call-with-logging',
    'tools-call-with-progress',
    'tools-call-sampling',
    'tools-call-elicitation',
  ])('passes %s', async (scenario) => {
    await using fixture = await startFixture();
    const { code, output } = await conformance(fixture.url, '--scenario', scenario);
    expect(code, output).toBe(0);
  });
});
