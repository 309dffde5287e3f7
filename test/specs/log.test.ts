import { describe, expect, it } from 'vitest';
import { createLogger } from '../../services/log.js';

const written = (options: Parameters<typeof createLogger>[0]): { lines: string[]; log: ReturnType<typeof createLogger> } => {
  const lines: string[] = [];
  return { lines, log: createLogger({ ...options, to: { write: (line) => void lines.push(line) } }) };
};

describe('a log line', () => {
  it('is one JSON object with time, level and message', () => {
    const { lines, log } = written({});
    log.info({ events: 3 }, 'replayed');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      events: 3,
      msg: 'replayed',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });
  it('never holds a secret, wherever it stands', () => {
    const { lines, log } = written({ secrets: ['to"ken', 'p@ss'] });
    log.error({ err: new Error('redis://u:p@ss@h failed'), header: 'Bearer to"ken' }, 'said to"ken');
    expect(lines.join('')).not.toMatch(/to\\?"ken|p@ss/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ header: 'Bearer ***', msg: 'said ***' });
  });
  it('below the level is not written', () => {
    const { lines, log } = written({ level: 'warn' });
    log.info('no');
    log.warn('yes');
    expect(lines).toHaveLength(1);
  });
  it('as text is short', () => {
    const { lines, log } = written({ format: 'text', secrets: ['hidden'] });
    log.warn({ restarts: 1, err: new Error('hidden away') }, 'Valkey ended');
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}Valkey ended \(\*\*\* away\) restarts=1\n$/);
  });
});
