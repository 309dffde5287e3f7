const MARK = { waiting: '·', running: '…', ok: '✓', failed: '✗' };
/** What a person sees of the start and the end: one line a step, then one screen with the addresses. */
export const createScreen = (out) => {
    const seen = new Map();
    const line = (text) => void out.write(`${text}\n`);
    return {
        live: out.isTTY === true,
        step: ({ name, state, detail, ms }) => {
            const text = `${MARK[state]} ${name.padEnd(7)} ${detail}${state === 'ok' && ms !== undefined ? ` (${ms} ms)` : ''}`;
            if (detail === '' && state !== 'failed')
                return;
            if (seen.get(name) === text)
                return;
            seen.set(name, text);
            line(text);
        },
        model: (() => {
            let last = 0;
            return (text) => {
                const now = Date.now();
                if (now - last < 1_000)
                    return;
                last = now;
                line(`… model   ${text}`);
            };
        })(),
        summary: (config, { mcpUrl, valkey, provider, steps }) => {
            const failed = steps.filter(({ state }) => state !== 'ok');
            if (failed.length > 0) {
                line('');
                line('OmniMem did not start:');
                for (const { name, detail } of failed)
                    line(`  ${name}: ${detail}`);
                return;
            }
            const status = provider.status();
            line('');
            line('OmniMem runs. Stop it with Ctrl-C.');
            line('');
            if (mcpUrl) {
                line(`  MCP         ${mcpUrl}`);
                line(`  Connect     claude mcp add --transport http omnimem ${mcpUrl} --scope user${config.mcp.authToken ? ' --header "Authorization: Bearer $MCP_AUTH_TOKEN"' : ''}`);
            }
            line('  Dashboard   not yet');
            line(`  Data        ${config.dataDir}`);
            if (valkey)
                line(`  Valkey      ${valkey}`);
            line(`  Embedder    ${embedder(status)}`);
            line('');
        },
        stopping: () => line('Stopping: finishing what runs …'),
        stopped: () => line('Stopped. Everything acknowledged is on the disk.'),
    };
};
const embedder = ({ state, modelId, reason }) => {
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
//# sourceMappingURL=screen.js.map