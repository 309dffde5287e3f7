import { destination, pino } from 'pino';
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
/** The process's logger. Nothing goes to standard output: that belongs to the protocol of the stdio server. */
export const createLogger = ({ level = 'info', format = 'json', secrets = [], to } = {}) => {
    const hidden = secrets.filter((secret) => secret.length >= 4).map((secret) => JSON.stringify(secret).slice(1, -1));
    const redact = (line) => hidden.reduce((text, secret) => text.replaceAll(secret, '***'), line);
    return pino({
        level,
        base: { pid: process.pid },
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        hooks: { streamWrite: (line) => (format === 'text' ? readable(redact(line)) : redact(line)) },
    }, to ?? destination({ fd: 2, sync: true }));
};
/** `12:00:01 warn  Valkey ended restarts=1`. */
const readable = (line) => {
    const { time, level, msg, pid: _pid, err, ...rest } = JSON.parse(line);
    const details = Object.entries(rest).map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
    const reason = typeof err === 'object' && err !== null && 'message' in err ? [`(${String(err.message)})`] : [];
    return `${[String(time).slice(11, 19), String(level).padEnd(5), msg, ...reason, ...details].filter(Boolean).join(' ')}\n`;
};
//# sourceMappingURL=log.js.map