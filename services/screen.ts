import type { Config } from './config.js';
import type { RunningInstance } from './instance.js';
import type { StepReport } from './lifecycle.js';

const MARK: Readonly<Record<StepReport['state'], string>> = { waiting: '·', running: '…', ok: '✓', failed: '✗' };

export type Screen = {
  /** A person watches. */
  readonly live: boolean;
  readonly step: (report: StepReport) => void;
  readonly model: (text: string) => void;
  readonly summary: (config: Config, instance: RunningInstance) => void;
  readonly stopping: () => void;
  readonly stopped: () => void;
};

/** What a person sees of the start and the end: one line a step, then one screen with the addresses. */
export const createScreen = (out: NodeJS.WriteStream): Screen => {
  const seen = new Map<string, string>();
  const line = (text: string): void => void out.write(`${text}\n`);

  return {
    live: out.isTTY === true,
    step: ({ name, state, detail, ms }: StepReport): void => {
      const text = `${MARK[state]} ${name.padEnd(7)} ${detail}${state === 'ok' && ms !== undefined ? ` (${ms} ms)` : ''}`;
      if (detail === '' && state !== 'failed') return;
      if (seen.get(name) === text) return;
      seen.set(name, text);
      line(text);
    },
    model: (() => {
      let last = 0;
      return (text: string): void => {
        const now = Date.now();
        if (now - last < 1_000) return;
        last = now;
        line(`… model   ${text}`);
      };
    })(),
    summary: (config: Config, { mcpUrl, valkey, provider, steps }: RunningInstance): void => {
      const failed = steps.filter(({ state }) => state !== 'ok');
      if (failed.length > 0) {
        line('');
        line('OmniMem did not start:');
        for (const { name, detail } of failed) line(`  ${name}: ${detail}`);
        return;
      }
      const status = provider.status();
      line('');
      line('OmniMem runs. Stop it with Ctrl-C.');
      line('');
      if (mcpUrl) {
        line(`  MCP         ${mcpUrl}`);
        line(
          `  Connect     claude mcp add --transport http omnimem ${mcpUrl} --scope user${config.mcp.authToken ? ' --header "Authorization: Bearer $MCP_AUTH_TOKEN"' : ''}`,
        );
      }
      line('  Dashboard   not yet');
      line(`  Data        ${config.dataDir}`);
      if (valkey) line(`  Valkey      ${valkey}`);
      line(`  Embedder    ${embedder(status)}`);
      line('');
    },
    stopping: (): void => line('Stopping: finishing what runs …'),
    stopped: (): void => line('Stopped. Everything acknowledged is on the disk.'),
  };
};

/** The same for a program: one JSON object a line. */
export const createJsonScreen = (out: NodeJS.WriteStream): Screen => {
  const line = (news: object): void => void out.write(`${JSON.stringify(news)}\n`);
  return {
    live: false,
    step: (report) => line({ step: report }),
    model: (text) => line({ model: text }),
    summary: (config, { mcpUrl, valkey, provider, steps }) => {
      const running = steps.every(({ state }) => state === 'ok');
      line({ running, mcp_url: mcpUrl, data_dir: config.dataDir, valkey, embedder: provider.status() });
    },
    stopping: () => line({ stopping: true }),
    stopped: () => line({ stopped: true }),
  };
};

const embedder = ({ state, modelId, reason }: ReturnType<RunningInstance['provider']['status']>): string => {
  switch (state) {
    case 'ready':
      return `${modelId ?? ''}${reason ? `, the second choice: ${reason}` : ''}`;
    case 'loading':
      return 'loading in the background; recall finds words only until it is ready';
    case 'off':
      return 'none (EMBEDDING=none): recall finds words only';
    case 'failed':
      return `none yet: ${reason ?? 'no road led to the model'}. It is tried again; recall finds words only until then`;
  }
};
