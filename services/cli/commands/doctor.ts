import type { HealthResult } from '../../api.js';
import type { Finding } from '../../ops/doctor-finding.js';
import { type AddCommand, examples } from '../command.js';
import type { GlobalOptions } from '../context.js';
import { EXIT } from '../exit-codes.js';

const MARK: Readonly<Record<Finding['state'], string>> = { ok: '✓', warn: '!', fail: '✗' };

export const addDoctor: AddCommand = (program) => {
  const command = program
    .command('doctor')
    .summary('find out what is wrong, and how to mend it')
    .description(
      'Looks at Node.js, the settings, the data folder, the disk, the running instance, Valkey, the model, the health of the memory, and what the tools cost a client. Changes nothing and starts nothing. Each line is ok, a warning or a failure with its fix; exits with 1 when something failed.',
    )
    .addHelpText('after', examples('omnimem doctor', 'omnimem doctor --json | jq \'.findings[] | select(.state != "ok")\''));
  command.action(async () => {
    const globals = command.optsWithGlobals<GlobalOptions>();
    const json = globals.json ?? false;
    const [{ environmentOf }, { callTool }, { examine }] = await Promise.all([
      import('../context.js'),
      import('../call.js'),
      import('../../ops/doctor.js'),
    ]);
    const findings = await examine({
      env: environmentOf(globals),
      health: (url, token) => callTool<HealthResult>(async () => ({ url, token }), 'health', {}),
      onFinding: (finding) => {
        if (!json) process.stdout.write(`${say(finding)}\n`);
      },
    });
    const failed = findings.some(({ state }) => state === 'fail');
    if (json) process.stdout.write(`${JSON.stringify({ ok: !failed, findings })}\n`);
    process.exitCode = failed ? EXIT.failed : EXIT.ok;
  });
};

const say = ({ part, state, detail, fix }: Finding): string => {
  const line = `${MARK[state]} ${part.padEnd(11)}  ${detail.replaceAll('\n', `\n${' '.repeat(15)}`)}`;
  return fix === undefined ? line : `${line}\n${fix.replaceAll(/^/gm, '               ')}`;
};
