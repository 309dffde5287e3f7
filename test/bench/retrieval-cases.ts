/**
 * Memories as a developer writes them, each with a question that shares hardly a word with it and one that names it
 * exactly. Written for this benchmark.
 */
export type RetrievalCase = { readonly memory: string; readonly paraphrase: string; readonly identifier: string };

export const DEVELOPER_CASES: readonly RetrievalCase[] = [
  {
    memory: 'ERR_MODULE_NOT_FOUND came back after the ESM migration: relative imports need the .js ending under nodenext.',
    paraphrase: 'why do our file references break since we switched module systems',
    identifier: 'ERR_MODULE_NOT_FOUND',
  },
  {
    memory: 'The nightly backup ran out of disk on db-02; we now prune dumps older than 14 days before pg_dump starts.',
    paraphrase: 'how do we keep the archive job from filling the storage',
    identifier: 'db-02',
  },
  {
    memory: 'Users were logged out at random because two pods signed cookies with different SESSION_SECRET values.',
    paraphrase: 'people lose their authentication unexpectedly',
    identifier: 'SESSION_SECRET',
  },
  {
    memory: 'Decided on PostgreSQL instead of MongoDB since invoices need transactions across tables.',
    paraphrase: 'which data store did we choose and for what reason',
    identifier: 'PostgreSQL',
  },
  {
    memory: 'Never push with --no-verify; the pre-commit hook is what keeps secrets out of the repository.',
    paraphrase: 'may I skip the checks before submitting my changes',
    identifier: '--no-verify',
  },
  {
    memory: 'The checkout page got 2.1 s faster after we stopped loading every product image eagerly.',
    paraphrase: 'what improved the performance of the payment screen',
    identifier: '2.1',
  },
  {
    memory: 'WebSocket connections dropped after 60 seconds: the nginx proxy_read_timeout default. Raised to 1h on the gateway.',
    paraphrase: 'live updates stop about a minute in',
    identifier: 'proxy_read_timeout',
  },
  {
    memory: 'Anna prefers tabs over spaces and wants every function shorter than 30 lines.',
    paraphrase: 'what are her formatting wishes',
    identifier: 'Anna',
  },
  {
    memory: 'useEffect fired twice in development because of React.StrictMode; it is expected, no fix needed.',
    paraphrase: 'side effects of components execute two times locally',
    identifier: 'React.StrictMode',
  },
  {
    memory: 'Rolled back release v3.14.2: the migration locked the orders table for nine minutes.',
    paraphrase: 'which deployment did we revert because of blocked writes',
    identifier: 'v3.14.2',
  },
  {
    memory: 'Port 5432 was taken by a local Postgres, so docker compose maps the container to 55432.',
    paraphrase: 'how did we get around the address conflict of the database on laptops',
    identifier: '55432',
  },
  {
    memory: 'Flaky test in src/billing/invoice.spec.ts was a time zone issue; pin TZ=UTC in the runner.',
    paraphrase: 'sporadic failure of the accounting suite caused by clock locale',
    identifier: 'src/billing/invoice.spec.ts',
  },
  {
    memory: 'The memory leak in the worker came from listeners that were never removed from the shared EventEmitter.',
    paraphrase: 'RAM of the background process kept growing',
    identifier: 'EventEmitter',
  },
  {
    memory: 'Use @tanstack/react-query for server state, not redux; redux stays for the editor only.',
    paraphrase: 'what should I fetch remote data with in the frontend',
    identifier: '@tanstack/react-query',
  },
  {
    memory: 'Stripe sends webhooks more than once, so handlers must be idempotent: store event ids in processed_events.',
    paraphrase: 'payment notifications may be delivered repeatedly, how do we cope',
    identifier: 'processed_events',
  },
  {
    memory: 'getUserById returns null for soft-deleted accounts; callers must not treat that as an error.',
    paraphrase: 'looking up a person who was removed yields nothing',
    identifier: 'getUserById',
  },
  {
    memory: 'Kubernetes killed the importer with OOMKilled; the limit is 512Mi now and it streams the CSV instead of reading it whole.',
    paraphrase: 'the data loader was terminated for consuming too much',
    identifier: 'OOMKilled',
  },
  {
    memory: 'CORS errors on staging: the allow list lacked the new hostname app.staging.example.org.',
    paraphrase: 'browser refuses cross-site calls in the test environment',
    identifier: 'app.staging.example.org',
  },
  {
    memory: 'For German customers the VAT rounding is per line item, not per invoice; agreed with accounting in March.',
    paraphrase: 'how is tax computed for clients from Berlin',
    identifier: 'VAT',
  },
  {
    memory: 'The search index must be rebuilt after changing the analyzer; run make reindex, it takes about 40 minutes.',
    paraphrase: 'what to do when the tokenisation settings were altered',
    identifier: 'make reindex',
  },
  {
    memory: 'CI is slow because npm ci downloads browsers; set PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 on lint jobs.',
    paraphrase: 'speed up the continuous integration pipeline',
    identifier: 'PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD',
  },
  {
    memory: 'Deadlock in transfer(): always lock accounts in ascending id order.',
    paraphrase: 'two money movements wait for one another forever',
    identifier: 'transfer()',
  },
  {
    memory: 'The iOS build needs Xcode 15.3 or newer, older ones miss the privacy manifest.',
    paraphrase: 'minimum Apple toolchain to compile the mobile app',
    identifier: 'Xcode 15.3',
  },
  {
    memory: 'S3 uploads above 5 GB fail with EntityTooLarge; switch to multipart with 64 MB parts.',
    paraphrase: 'big files cannot be stored in the bucket',
    identifier: 'EntityTooLarge',
  },
  {
    memory: 'Feature flags live in LaunchDarkly; delete a flag within two weeks after full rollout.',
    paraphrase: 'where are toggles kept and when do we clean them up',
    identifier: 'LaunchDarkly',
  },
  {
    memory: 'The 502s on Fridays were caused by the report cron saturating the connection pool (max 20).',
    paraphrase: 'gateway failures at the end of the week',
    identifier: '502s',
  },
  {
    memory: 'Emoji broke the MySQL import until the tables were converted to utf8mb4.',
    paraphrase: 'smileys could not be saved due to the character set',
    identifier: 'utf8mb4',
  },
  {
    memory: 'Rate limit of the GitHub API is 5000 per hour per token; the bot caches ETags to stay below.',
    paraphrase: 'how does our robot avoid being throttled',
    identifier: 'ETags',
  },
  {
    memory: 'Prefer composition over inheritance in the plugin system; BasePlugin was removed in the spring.',
    paraphrase: 'design principle for extensions',
    identifier: 'BasePlugin',
  },
  {
    memory: 'The GDPR export must contain chat messages as well, legal confirmed on the 3rd of May.',
    paraphrase: 'which personal records do we hand over on request',
    identifier: 'GDPR',
  },
];

/** Questions that none of the benchmark's stores can answer, and plain nonsense. */
export const UNRELATED_QUERIES: readonly string[] = [
  'What is the boiling point of tungsten?',
  'Who won the football world cup in 1974?',
  'How long do I roast a chicken of two kilos?',
  'Explain the rules of cricket',
  'history of the Ottoman Empire in the 16th century',
  'Which planet has the most moons?',
  'How do bees find their way home?',
  'chords of a minor pentatonic scale on the guitar',
  'symptoms of vitamin D deficiency in cats',
  'train from Vienna to Budapest on Sunday morning',
  'Photosynthesis in desert plants',
  'best fertiliser for tomatoes on a balcony',
  'What did Aristotle say about tragedy?',
  'price of copper on the London exchange',
  'How deep is the Mariana trench?',
  'conjugate the Latin verb amare in the subjunctive',
  'Which glacier feeds the Rhone?',
  'how to tune a harpsichord',
  'recipe for sourdough rye bread',
  'moon phases in October',
  'asdf qwer zxcv',
  'blorptang wuzzle fremish',
  'lorem ipsum dolor sit amet',
  'xkq zzv pplm 88213',
  'flurb the gnarly snozzcumber quickly',
  'qwertyuiop',
  'aaaaaaaa bbbbbbbb',
  '????? !!!!',
  'mxyzptlk jibberish norg',
  'colourless green ideas sleep furiously',
];
