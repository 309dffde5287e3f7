import { readdirSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { TOOLS_USED } from '../../services/cli/call.js';
import { createProgram } from '../../services/cli/program.js';
import { refuseSecretsIn } from '../../services/commands/secrets.js';
import { TOOLS } from '../../services/mcp/tools/index.js';
import { toolsByName } from '../../services/mcp/toolset.js';

it('the command line knows of each tool that it uses what the tool says of itself', () => {
  const effects = Object.keys(TOOLS_USED).map((name) => [name, toolsByName.get(name)?.effect]);
  expect(Object.fromEntries(effects)).toEqual(TOOLS_USED);
});

const takesForce = (tool: string): boolean => 'force' in (toolsByName.get(tool)?.inputSchema.properties ?? {});

/** Commands by the tools that their source calls; each has a file of its name. */
const commandsCalling = (wanted: (tool: string) => boolean): readonly string[] => {
  const folder = new URL('../../services/cli/commands/', import.meta.url);
  return readdirSync(folder)
    .filter((name) => {
      const source = readFileSync(new URL(name, folder), 'utf8');
      return Object.keys(TOOLS_USED).some((tool) => wanted(tool) && source.includes(`'${tool}'`));
    })
    .map((name) => name.replace('.ts', ''));
};

const withForce = (command: Command): boolean =>
  command.options.some(({ long }) => long === '--force') || command.commands.some((inner) => withForce(inner));

it('a command has --force where its tool has force, and so has import, which checks for itself', () => {
  const commands = createProgram().commands;
  const expected = [...commandsCalling(takesForce), 'import'].sort();
  expect(expected).toContain('remember');
  expect(
    commands
      .filter(withForce)
      .map((command) => command.name())
      .sort(),
  ).toEqual(expected);
});

it('every tool of the commands that refuse credentials has force, and no other has it', () => {
  const token = ['ghp', 'a9Xw2Lq7Rt4Vb8Nz1Kc6Yd3Hs5Jf0Gm2Pe9U'].join('_');
  const refuses = (tool: string): boolean => {
    try {
      const command = tool.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      refuseSecretsIn(command, { said: token });
      return false;
    } catch {
      return true;
    }
  };
  const names = TOOLS.map(({ name }) => name);
  expect(names.filter(takesForce)).toContain('record_experience');
  expect(names.filter(refuses)).toEqual(names.filter(takesForce));
});
