import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conflictBetween as between, statementOf } from '../../../domain/similarity/conflict.js';

const conflictBetween = (a: string, b: string) => between(statementOf(a), statementOf(b));

describe('two texts conflict', () => {
  it.each([
    ['Staging listens on port 8081', 'Staging listens on port 8082', 'number'],
    ['The billing webhook retries seven times before it raises ERR', 'The billing webhook retries 5 times before it raises ERR', 'number'],
    ['The billing webhook retries 7 times before it raises ERR', 'The billing webhook retries 5 times before it raises ERR', 'number'],
    ['The service timeout is 30 seconds', 'The service timeout is 300 seconds', 'number'],
    ['Timeout is 30 seconds', 'Timeout is 60 seconds', 'number'],
    ['Use pnpm 9.1 for this repo', 'Use pnpm 9.2 for this repo', 'version'],
    ['Rate limit: 100 requests per minute for the API', 'Rate limit: 200 requests per minute for the API', 'number'],
    ['Deploys of billing happen on Fridays', 'Deploys of billing happen on Tuesdays', 'weekday'],
    ['Deploys of billing happen on Mondays at 10:00', 'Deploys of billing happen on Fridays at 14:00', 'weekday'],
    ['The billing service uses Postgres', 'The billing service uses MySQL', 'name'],
    ['Config of the gateway lives in config/app.yaml', 'Config of the gateway lives in config/app.toml', 'name'],
    ['The parser is thread safe', 'The parser is not thread safe', 'not'],
    ['The cache can be shared between workers', "The cache can't be shared between workers", 'not'],
    ['The gateway no longer needs a token', 'The gateway needs a token', 'not'],
    ['Backups of the log run daily', 'Backups of the log run weekly', 'qualifier'],
    ['The flag newCheckout is true in production', 'The flag newCheckout is false in production', 'qualifier'],
    ['Backups are kept for seven days.', 'Backups are kept for thirty days.', 'number'],
    ['Backups are kept for 7 days', 'Backups are kept for thirty-five days', 'number'],
    ['The release is planned for 1 Nov', 'The release is planned for 8 Nov', 'number'],
    ['Use Node 20 for this repo', 'Use Node 22 for this repo', 'number'],
    ['The default branch is main.', 'The default branch is develop.', 'name'],
    ['Passwords are hashed with bcrypt.', 'Passwords are hashed with argon2id.', 'name'],
    ['Anna owns the billing service.', 'Tom owns the billing service.', 'name'],
    ['Alice owns billing', 'Bob owns billing', 'name'],
    ['The platform team owns billing', 'The growth team owns billing', 'name'],
    ['Logs should be JSON.', 'Logs must never be JSON.', 'should not/should'],
    ['Tokens must be kept', "Tokens mustn't be kept", "shouldn't/should"],
    ['Never commit directly to main', 'Always commit directly to main', 'never/always'],
    ['Avoid moment for dates', 'Use moment for dates', 'avoid/use'],
    ['Polling feeds is recommended', 'Polling feeds is not recommended', 'not recommended/recommended'],
  ])('%j against %j', (a, b, cue) => {
    expect(conflictBetween(a, b)?.cue).toBe(cue);
    expect(conflictBetween(b, a)?.cue).toBe(cue);
  });
});

describe('two texts do not conflict', () => {
  it.each([
    ['the subjects are two', 'Server 1 listens on port 8080', 'Server 2 listens on port 8080'],
    [
      'the subjects are two',
      'The server 1 of the staging zone listens on port 8080',
      'The server 2 of the staging zone listens on port 8080',
    ],
    ['subject and value differ', 'The staging server listens on port 8081', 'The production server listens on port 8082'],
    ['the subjects are two', 'Maria likes coffee', 'Peter likes coffee'],
    ['several may own a thing', 'Alice owns the billing service', 'Bob also owns the billing service'],
    ['the places are two', 'Use tabs in Makefiles.', 'Avoid tabs in Python files.'],
    ['the places are two', 'We always run lint before a commit', 'We never run lint on generated files'],
    ['the places are two', 'Tokens must never be stored in cookies', 'Tokens must be stored in the vault'],
    ['the days are two', 'Load test on 1 Nov: 420 requests per second.', 'Load test on 8 Nov: 510 requests per second.'],
    ['the days are two', 'In January the bill was 300 euro.', 'In February the bill was 420 euro.'],
    ['the days are two', 'The load test of 2026-11-01 gave 420', 'The load test of 2026-11-08 gave 510'],
    ['a number is a label', 'Migration 0012 adds a column to orders.', 'Migration 0013 adds a column to orders.'],
    ['a number is a label', 'Chapter 1 describes setup.', 'Chapter 2 describes setup.'],
    ['they are contrasted', 'Tests ran in 40 s on the old laptop.', 'Tests ran in 20 s on the new laptop.'],
    ['numbers are equal in words and figures', 'Backups are kept for thirty-five days', 'Backups are kept for 35 days'],
    ['two things may hold at once', 'The staging server is slow', 'The staging server is down'],
    ['who must and what must', 'Secrets must be rotated', 'Secrets must never be logged'],
    ['a number is a label', 'We closed issue 41 of the billing project', 'We closed issue 42 of the billing project'],
    ['a number is a label', 'ADR 12: use Postgres for billing', 'ADR 13: use Postgres for billing'],
    ['a version is a label', 'The gateway release 1.2 fixed the login', 'The gateway release 1.3 fixed the login'],
    ['days are occasions', 'The build of 2026-11-03 is broken', 'The build of 2026-11-04 is broken'],
    ['things done are two', 'Fixed a bug in parser.ts', 'Fixed a bug in lexer.ts'],
    ['things done are two', 'Added a dependency on pino', 'Added a dependency on zod'],
    ['one says more', 'The nightly job writes to cold storage', 'The nightly job writes to cold storage behind nginx'],
    ['they say the same', 'Staging listens on port 8081', 'staging listens on port 8081.'],
    ['they share words of the rules (hazard 10)', 'Use pnpm for installs', 'Do not use the lift in a fire'],
    ['they share words of the rules (hazard 10)', 'We use Redis with TLS', 'Deploy without downtime'],
    ['they share words of the rules (hazard 10)', 'Avoid global state in modules', 'Use named exports in modules'],
    ['they share words of the rules (hazard 10)', 'The upload failed on Monday', 'The login test succeeded'],
    ['they share words of the rules (hazard 10)', 'Works with Node 24', 'The proxy does not work with cookies'],
  ])('%s: %j, %j', (_why, a, b) => {
    expect(conflictBetween(a, b)).toBeUndefined();
    expect(conflictBetween(b, a)).toBeUndefined();
  });

  it('whatever one text says, it does not contradict itself', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(conflictBetween(text, text)).toBeUndefined();
      }),
    ));

  it('what is found does not depend on the order, and carries no word of the texts', () => {
    const word = fc.constantFrom('never', 'always', 'port', '8081', '8082', 'is', 'Vela', 'uses', 'not', 'staging', 'daily', 'weekly');
    const text = fc.array(word, { minLength: 1, maxLength: 7 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(conflictBetween(a, b)).toEqual(conflictBetween(b, a));
        expect(JSON.stringify(conflictBetween(a, b) ?? {})).not.toMatch(/808|Vela/);
      }),
      { numRuns: 500 },
    );
  });
});
