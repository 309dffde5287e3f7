import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toolsByName } from '../../../services/mcp/toolset.js';
import { PLUGIN } from './run-hook.js';

const read = (path: string): string => readFileSync(join(PLUGIN, path), 'utf8');
/** As Claude Code writes a variable with a default. */
const setting = (name: string, otherwise: string): string => `\${${name}:-${otherwise}}`;
const readJson = <T>(path: string): T => JSON.parse(read(path)) as T;

describe('the plugin folder', () => {
  it('is a marketplace of itself, so that two lines install it', () => {
    const plugin = readJson<{ readonly name: string; readonly version: string }>('.claude-plugin/plugin.json');
    const market = readJson<{
      readonly name: string;
      readonly owner: { readonly name: string };
      readonly plugins: readonly { name: string; source: string }[];
    }>('.claude-plugin/marketplace.json');
    expect(plugin.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(market).toMatchObject({ name: 'omnimem', owner: { name: expect.any(String) }, plugins: [{ name: plugin.name, source: './' }] });
    const clients = readFileSync(join(PLUGIN, '../../docs/clients.md'), 'utf8');
    expect(clients).toContain(`claude plugin install ${plugin.name}@${market.name}`);
  });

  it('registers the server at the address it has unless told otherwise', () => {
    const { mcpServers } = readJson<{ readonly mcpServers: Record<string, object> }>('.mcp.json');
    expect(mcpServers).toEqual({
      omnimem: {
        type: 'http',
        url: setting('OMNIMEM_URL', 'http://127.0.0.1:8765/mcp'),
        headers: { Authorization: `Bearer ${setting('MCP_AUTH_TOKEN', 'none')}` },
      },
    });
  });

  it('leaves the settings of the user alone: nothing in it writes files but the mark of a reminder', () => {
    const scripts = readdirSync(join(PLUGIN, 'hooks'), { recursive: true })
      .map(String)
      .filter((path) => path.endsWith('.mjs'));
    const writing = scripts.filter((path) => /writeFile|appendFile|rename\(|settings\.json/.test(read(`hooks/${path}`)));
    expect(writing).toEqual(['remind.mjs']);
    expect(read('hooks/remind.mjs')).not.toMatch(/homedir|\.claude\b/);
    expect(existsSync(join(PLUGIN, 'settings.json'))).toBe(false);
  });

  it('names tools in its commands and reminders that exist', () => {
    const named = ['commands/memory.md', 'commands/graveyard.md'].flatMap((path) =>
      [...read(path).matchAll(/mcp__(?:plugin_omnimem_omnimem|omnimem)__([a-z_]+)/g)].map(([, tool]) => tool ?? ''),
    );
    const spoken = ['hooks/remind.mjs', 'hooks/session-start.mjs', 'commands/memory.md', 'commands/graveyard.md'].flatMap(
      (path) =>
        read(path).match(/\b(?:briefing|record_experience|log_abandoned|update_project_state|warn_if_abandoned|experience_summary)\b/g) ??
        [],
    );
    expect(named.length).toBeGreaterThan(8);
    for (const tool of new Set([...named, ...spoken])) expect([...toolsByName.keys()], tool).toContain(tool);
  });
});
