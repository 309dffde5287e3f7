import { expect, it } from 'vitest';
import { TOOLS_USED } from '../../services/cli/call.js';
import { toolsByName } from '../../services/mcp/toolset.js';

it('the command line knows of each tool that it uses what the tool says of itself', () => {
  const effects = Object.keys(TOOLS_USED).map((name) => [name, toolsByName.get(name)?.effect]);
  expect(Object.fromEntries(effects)).toEqual(TOOLS_USED);
});
