import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startTestServer } from '../../support/mcp.js';
import { startFixture } from './conformance-fixture.js';

const CLI = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');

const BASELINE = resolve('test/e2e/mcp/conformance-baseline.yml');

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
    const { code, output } = await conformance(server.url, '--expected-failures', BASELINE);
    expect(code, output).toBe(0);
  });
});

describe('the HTTP layer, with the tools that the suite asks for', () => {
  it('passes for what an HTTP layer has to carry', async () => {
    const carried = [
      'tools-call-simple-text',
      'tools-call-error',
      'logging-set-level',
      'tools-call-with-logging',
      'tools-call-with-progress',
      'tools-call-sampling',
      'tools-call-elicitation',
    ];
    const others = (await readFile(BASELINE, 'utf8')).split('\n').filter((line) => !carried.some((name) => line.endsWith(`- ${name}`)));
    const directory = await mkdtemp(join(tmpdir(), 'omt-baseline-'));
    const baseline = join(directory, 'baseline.yml');
    // The fixture has tools and nothing else.
    await writeFile(baseline, `${others.join('\n').trimEnd()}\n  - resources-list\n  - prompts-list\n`);
    await using fixture = await startFixture();
    const { code, output } = await conformance(fixture.url, '--expected-failures', baseline);
    await rm(directory, { recursive: true });
    expect(code, output).toBe(0);
    for (const name of carried) expect(output).toMatch(new RegExp(`✓ ${name}: [1-9]`));
  });
});
