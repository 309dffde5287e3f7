import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyNeighbour, looksContradictory, MINILM_THRESHOLDS, type Relation } from '../../../domain/similarity.js';

const CLOSE = 0.97;
const NEAR = 0.8;
const FAR = 0.4;
const relation = (oldText: string, newText: string, cosine: number): Relation => classifyNeighbour(newText, oldText, cosine).relation;

describe('S04: a correction', () => {
  it.each([
    ['The staging API listens on port 8080.', 'The staging API listens on port 8081.', /number/],
    ['Release branch is cut on Tuesdays', 'Release branch is cut on Thursdays', /weekday/],
    ['Use pnpm 9.1 for this repo', 'Use pnpm 9.2 for this repo', /version/],
    ['Do not run migrations on start', 'Run migrations on start', /negation/],
    ['Run migrations on start', 'Do not run migrations on start', /negation/],
    ['Alice owns billing', 'Bob owns billing', /name/],
    ['The service timeout is 30 seconds', 'The service timeout is 300 seconds', /number/],
    ['The release is planned for March', 'The release is planned for April', /month/],
    ['Deploys happen on Mondays at 10:00', 'Deploys happen on Fridays at 14:00', /weekday/],
    ['The review of the parser was done by Maria', 'The review of the parser was done by Ahmed', /name/],
    ["The cache doesn't survive a restart", 'The cache does survive a restart', /negation/],
    ['The cache can be shared between workers', "The cache can't be shared between workers", /negation/],
    ['We always squash commits before merging', 'We never squash commits before merging', /negation/],
    ['Config lives in config/app.yaml', 'Config lives in config/app.toml', /identifier/],
    ['The handler is called parseRequest in the gateway', 'The handler is called readRequest in the gateway', /identifier/],
    ['Set retries to -1 in the client', 'Set retries to 1 in the client', /symbol/],
    ['Alert when lag > 10', 'Alert when lag < 10', /symbol/],
    ['Assert that a == b in the guard', 'Assert that a != b in the guard', /symbol/],
    ['The size is width * height', 'The size is width / height', /./],
    ['Parser: ✅', 'Parser: ❌', /symbol/],
    ['gateway → billing', 'gateway ← billing', /symbol/],
    ['Write the parser in C', 'Write the parser in C++', /./],
    ['Run the linter before the tests', 'Run the linter after the tests', /condition/],
    ['Backups run daily on the replica', 'Backups run weekly on the replica', /condition/],
    ['Tokens must be rotated by the gateway', 'Tokens should be rotated by the gateway', /condition/],
    ['Use tabs for indentation', 'Use spaces for indentation', /one place/],
    ['auth calls billing', 'billing calls auth', /order/],
    ['Alice reports to Bob', 'Bob reports to Alice', /order/],
    ['端口是8080', '端口是8081', /./],
    ['发布在周二进行', '发布在周四进行', /./],
    ['启动时运行迁移', '启动时不运行迁移', /negation/],
    ['Der Dienst läuft nicht auf Port 80', 'Der Dienst läuft auf Port 80', /negation/],
    ['The build of 2026-11-03 is broken', 'The build of 2026-11-04 is broken', /number/],
    ['Deploy with the blue script', 'Deploy with the blue script on the eu-west-1 cluster', /identifier/],
    ['The nightly job writes to cold storage', 'The nightly job writes to cold storage behind nginx', /says more/],
  ])('%j, then %j, is changed and not swallowed', (oldText, newText, why) => {
    const verdict = classifyNeighbour(newText, oldText, CLOSE);
    expect(verdict).toMatchObject({ relation: 'changed', explanation: expect.stringMatching(why) });
    expect(verdict.difference).toBeDefined();
  });

  it('that rewords the old text and says more is stored', () => {
    const old = 'The monolith keeps sessions inside Redis';
    expect(relation(old, 'The monolith stores sessions inside Redis', CLOSE)).toBe('changed');
    expect(relation(old, 'The big monolith stores session data inside Redis', CLOSE)).toBe('duplicate');
    expect(relation(old, 'The big monolith stores session data inside Redis, replicated across zones', CLOSE)).toBe('changed');
  });

  it('is seen although the embedder finds the sentences less alike', () => {
    expect(relation('Alice owns billing', 'Bob owns billing', 0.6)).toBe('changed');
    expect(relation('Use pnpm 9.1 for this repo', 'Use pnpm 9.2 for this repo', NEAR)).toBe('changed');
  });

  it('names the old and the new words to the caller, and keeps them out of the explanation', () => {
    const { explanation, difference } = classifyNeighbour('The API listens on port 8081.', 'The API listens on port 8080.', CLOSE);
    expect(difference).toEqual({ old: '8080', new: '8081' });
    expect(explanation).not.toMatch(/808/);
  });
});

describe('a duplicate', () => {
  it.each([
    ['The staging API listens on port 8080.', 'the  staging API\r\nlistens on PORT 8080.'],
    ['Le caf\u00E9 est pr\u00EAt', 'Le cafe\u0301 est pre\u0302t'],
    ['GRÜSSE', 'Grüße'],
  ])('is equal text, whatever the white space, case and Unicode form: %j', (oldText, newText) => {
    expect(relation(oldText, newText, CLOSE)).toBe('duplicate');
    expect(relation(oldText, newText, 0)).toBe('duplicate');
  });
  it.each([
    ['The staging API listens on port 8080', 'The staging API listens on port 8080!'],
    ['The release branch is cut on Tuesday', 'Release branches are cut on Tuesdays'],
    ['Run migrations on start', 'On start, run migrations'],
    ['Use pnpm for *all* packages', 'Use `pnpm` for **all** packages!'],
    ["Don't run migrations on start", 'Do not run migrations on start'],
    ['Deploy to the staging cluster', 'Please deploy in the staging cluster'],
    ['The parser rejects empty input and logs a warning', 'The parser rejects empty input'],
    ['The old monolith keeps sessions inside Redis for speed', 'For speed the old monolith stores its session data inside Redis'],
  ])('is the same said in other words, when the vectors agree: %j, %j', (oldText, newText) => {
    expect(relation(oldText, newText, CLOSE)).toBe('duplicate');
  });
});

describe('a memory about something else', () => {
  it('differs in its subject and in what is said of it', () => {
    expect(relation('Service 1 listens on port 9001', 'Service 2 listens on port 9002', CLOSE)).toBe('none');
  });
  it.each([
    ['Issue 41 is about login.', 'Issue 42 is about login.'],
    ['Migration 0012 adds a column to orders.', 'Migration 0013 adds a column to orders.'],
    ['Chapter 1 describes setup.', 'Chapter 2 describes setup.'],
    ['We closed issue 41 of the billing project', 'We closed issue 42 of the billing project'],
    ['Maria likes coffee.', 'Peter likes coffee.'],
    ['Tests ran in 40 s on the old laptop.', 'Tests ran in 20 s on the new laptop.'],
    ['Load test on 1 Nov: 420 requests per second.', 'Load test on 8 Nov: 510 requests per second.'],
    ['In January the bill was 300 euro.', 'In February the bill was 420 euro.'],
  ])('is stored without a warning, and never swallowed: %j, %j', (oldText, newText) => {
    for (const cosine of [0.6, NEAR, CLOSE]) {
      expect(relation(oldText, newText, cosine)).toBe('none');
      expect(relation(newText, oldText, cosine)).toBe('none');
    }
  });
  it('is not assumed when what is said differs, too, of a thing that the sentence names', () => {
    expect(relation('The release of Vela is on 1 Nov at 10:00', 'The release of Vela is on 8 Nov at 12:00', CLOSE)).toBe('changed');
    expect(relation('Use Node 20 for this repo', 'Use Node 22 for this repo', CLOSE)).toBe('changed');
    expect(relation('Redis stores the sessions', 'Postgres stores the sessions', CLOSE)).toBe('changed');
    expect(relation('The build that fails is build 41', 'The build that fails is build 42', CLOSE)).toBe('changed');
  });
  it('is not assumed when only the wording at the beginning differs', () => {
    expect(relation('They decided to use Valkey for the event log', 'Valkey was chosen for the event log', CLOSE)).toBe('changed');
    expect(relation('They run all the nightly jobs on the replica', 'You run every nightly job on the replica', NEAR)).toBe('none');
  });
  it.each([
    ['Use Postgres with billing', 'Use Redis with sessions'],
    ['Use dark mode in the editor', 'The staging API listens on port 8080'],
    ['', 'something'],
    ['the constructor and toString', '__proto__ hasOwnProperty valueOf'],
  ])('shares little: %j, %j', (oldText, newText) => expect(relation(oldText, newText, FAR)).toBe('none'));
  it('is not a duplicate because it rewords one at less than the threshold', () => {
    expect(relation('We keep sessions in Redis for speed', 'Our fast session store is Redis', MINILM_THRESHOLDS.duplicate - 0.01)).toBe(
      'none',
    );
  });
});

describe('contradiction', () => {
  it.each([
    ["Don't mutate props in components", 'Do mutate props in components'],
    ['Do not log request bodies', 'Do log request bodies'],
    ['Never push to main', 'Always push to main'],
    ['Avoid using Redux for global state', 'Use Redux for state'],
    ["Don't use moment for dates", 'We use moment for dates in the client'],
    ["Shouldn't cache the token", 'Should cache the token'],
    ['You should not cache the token', 'You should cache the token in memory'],
    ['Disable source maps in production', 'Enable source maps in production'],
    ['Remove the retry wrapper from fetch', 'Add the retry wrapper to fetch'],
    ['Run the suite without coverage', 'Run the suite with coverage'],
    ['Redux is not recommended for forms', 'Redux is recommended for forms'],
    ['The v1 endpoint is deprecated', 'The v1 endpoint is recommended'],
    ['The monorepo was abandoned', 'The monorepo was adopted'],
    ['The migration failed on staging', 'The migration succeeded on staging'],
    ["Hot reload won't work under Docker", 'Hot reload works under Docker'],
    ['Hot reload does not work under Docker', 'Hot reload works under Docker'],
    ['Hot reload doesn\u2019t work under Docker', 'Hot reload works under Docker'],
  ])('pair: %j against %j', (negative, positive) => {
    expect(looksContradictory(negative, positive)).toBe(true);
    expect(looksContradictory(positive, negative)).toBe(true);
  });

  it.each([
    ['Use Postgres with the billing service', 'Avoid long functions in the billing service'],
    ['Run tests with coverage', 'Deploy without approval'],
    ['Deploy with the script', 'Build without the cache'],
    ['Use tabs in Makefiles', 'Avoid global state'],
    ['Never push to main', 'Always run the linter before a push'],
    ['Always use spaces', 'Never use tabs'],
    ['The login test failed', 'The signup test succeeded'],
    ['Enable caching for images', 'Disable telemetry'],
    ['Avoid Redux in the billing service', 'Use Postgres in the billing service'],
    ['The houser is here', 'avoid houses'],
    ['', "don't"],
  ])('[D] hazard 10: %j and %j merely share a word', (a, b) => expect(looksContradictory(a, b)).toBe(false));

  it.each([
    "Don't use moment, use dayjs",
    'Never deploy on Friday, always deploy on Monday',
    'Run with cache, not without cache',
    'use x. avoid x.',
  ])('[D] %j holds both forms and does not contradict itself', (text) => {
    expect(looksContradictory(text, text)).toBe(false);
    expect(looksContradictory(text, ` ${text} `)).toBe(false);
  });
  it('[D] a text that holds both forms contradicts the text that says the opposite of one, not the one that agrees', () => {
    expect(looksContradictory("Don't use moment, use dayjs", 'Use moment for dates')).toBe(true);
    expect(looksContradictory("Don't use moment, use dayjs", 'Use dayjs for dates')).toBe(false);
    expect(looksContradictory("Don't use moment, use dayjs", 'Avoid moment')).toBe(false);
  });

  it('is symmetric and never between a text and itself', () => {
    const word = fc.constantFrom(
      "don't",
      'do',
      'not',
      'use',
      'avoid',
      'never',
      'always',
      'with',
      'without',
      'works',
      'Redux',
      'cache',
      'failed',
      'succeeded',
      ',',
      '.',
    );
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(looksContradictory(a, b)).toBe(looksContradictory(b, a));
        expect(looksContradictory(a, a)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('is reported between different sentences from its threshold on', () => {
    const pair = ['Avoid Redux for application state in the dashboard', 'We use Redux'] as const;
    expect(relation(...pair, NEAR)).toBe('contradiction');
    expect(relation(...pair, MINILM_THRESHOLDS.contradiction - 0.01)).toBe('none');
  });
});

describe('any two texts', () => {
  it('get a verdict with a reason, and a text is always its own duplicate', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (a, b, cosine) => {
          expect(classifyNeighbour(a, b, cosine).explanation).not.toBe('');
          expect(relation(a, ` ${a}\n`, cosine)).toBe('duplicate');
        },
      ),
    );
  });
  it('a changed number is never a duplicate, wherever it stands', () => {
    const words = fc.array(fc.constantFrom('the', 'api', 'port', 'Staging', 'retries', 'is', 'of', 'v2', 'not'), {
      minLength: 1,
      maxLength: 15,
    });
    fc.assert(
      fc.property(
        words,
        fc.nat(),
        fc.nat({ max: 99_999 }),
        fc.nat({ max: 99_999 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (list, at, x, y, cosine) => {
          const place = at % list.length;
          const withNumber = (n: number) => [...list.slice(0, place), String(n), ...list.slice(place)].join(' ');
          if (x !== y) expect(relation(withNumber(x), withNumber(y), cosine)).not.toBe('duplicate');
        },
      ),
    );
  });
  it('long ones are compared too', () => {
    const text = (n: number) => `${'The quick brown fox jumps. '.repeat(1_800)}Port ${n}.`;
    expect(relation(text(1), text(2), CLOSE)).toBe('changed');
    const shuffled = Array.from({ length: 8_000 }, (_, n) => `w${(n * 7_919) % 8_000}`).join(' ');
    const ordered = Array.from({ length: 8_000 }, (_, n) => `w${n}`).join(' ');
    expect(relation(ordered, shuffled, CLOSE)).toBe('changed');
  });
});
