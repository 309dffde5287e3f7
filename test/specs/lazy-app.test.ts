import { describe, expect, it } from 'vitest';
import { createLazyApp } from '../../services/lazy-app.js';
import { createFakeApp } from '../support/fake-app.js';

describe('an app that is served before it is open', () => {
  it('answers health with what it waits for', async () => {
    const lazy = createLazyApp();
    lazy.waitsFor('Valkey');
    expect(await lazy.app.queries.health()).toMatchObject({
      status: 'red',
      valkey_connected: false,
      issues: [{ code: 'STARTING', message: expect.stringContaining('waits for Valkey') }],
    });
  });

  it('says at once why it will not open, to those who waited and to those who come', async () => {
    const lazy = createLazyApp();
    const waiting = lazy.app.whenReady(600_000);
    lazy.failed('no search module');
    await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('no search module') });
    await expect(lazy.app.whenReady(600_000)).rejects.toThrow(/no search module/);
    expect((await lazy.app.queries.health()).issues).toMatchObject([
      { code: 'NOT_STARTED', message: expect.stringContaining('no search module') },
    ]);
    lazy.opened(createFakeApp());
    await lazy.app.whenReady(1);
  });

  it('refuses the rest until it is open, and lets those in who waited', async () => {
    const lazy = createLazyApp();
    await expect(lazy.app.queries.recall({ query: 'x' }, { actor: 'test' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(lazy.app.whenReady(1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const waiting = lazy.app.whenReady(5_000);
    lazy.opened(createFakeApp());
    await waiting;
    expect(await lazy.app.queries.recall({ query: 'x' }, { actor: 'test' })).toHaveProperty('results');
  });
});
