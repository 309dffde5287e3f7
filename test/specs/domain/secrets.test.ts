import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSecrets } from '../../../domain/secrets.js';

/** Characters that look drawn at random and belong to nobody. Credentials are put together here so that no scanner takes this file for a leak. */
const NOISE = 'q7Rz2KfW9xLb4TnVc8JmYp3GhDs6QeXa5UwNv1ZkCtHrBjMgFyPdSo0iElAuOI4T7q9Wz2Kx8Lb';
const noise = (length: number) => NOISE.slice(0, length);
const upper = (length: number) => 'Q7RZ2KFW9XLB4TNVC8JMYP'.slice(0, length);
const hyphened = (...parts: readonly string[]) => parts.join('-');

const LIVE: readonly (readonly [kind: string, credential: string])[] = [
  ['AWS access key id', `AK${'IA'}${upper(16)}`],
  ['AWS access key id', `AS${'IA'}${upper(16)}`],
  ['GitHub token', `gh${'p_'}${noise(36)}`],
  ['GitHub token', `gh${'s_'}${noise(36)}`],
  ['GitHub token', `github${'_pat_'}${noise(22)}_${noise(59)}`],
  ['GitLab token', `gl${'pat-'}${noise(20)}`],
  ['Slack token', hyphened(`xo${'xb'}`, '2871460935112', '2990186453207', noise(24))],
  ['Slack webhook', `https://hooks.slack${'.com/services'}/T02AB9KQ1/B04XZ7PLM/${noise(24)}`],
  ['Stripe live key', `sk${'_live_'}${noise(24)}`],
  ['Google API key', `AI${'za'}${noise(35)}`],
  ['Anthropic key', hyphened('sk', `an${'t'}`, 'api03', noise(64))],
  ['OpenAI key', hyphened('sk', 'proj', noise(60))],
  ['OpenAI key', hyphened('sk', noise(48))],
  ['npm token', `np${'m_'}${noise(36)}`],
  ['PyPI token', `pypi${'-AgE'}${noise(70)}`],
  ['Hugging Face token', `h${'f_'}${noise(34)}`],
  ['SendGrid key', `S${'G'}.${noise(22)}.${noise(43)}`],
];

describe('a live credential', () => {
  it.each(LIVE)('%s is found where it stands', (kind, credential) => {
    for (const [before, after] of [
      ['', ''],
      ['token: "', '".'],
      ['export KEY=', '\n'],
      ['请用 ', '。'],
    ] as const)
      expect(findSecrets(`${before}${credential}${after}`)).toEqual([{ kind, index: before.length, length: credential.length }]);
  });

  it('of AWS is found by its variable name', () => {
    const secret = noise(40);
    const text = `aws_secret_access_key = ${secret}`;
    expect(findSecrets(text)).toEqual([{ kind: 'AWS secret access key', index: text.indexOf(secret), length: 40 }]);
  });

  const pem = (label: string, body: string) => `-----${'BEGIN'} ${label}-----\n${body}\n-----${'END'} ${label}-----`;
  const keyBody = `${noise(64)}\n${noise(50)}`;
  it.each(['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'ENCRYPTED PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'])(
    'in a %s is found whole',
    (label) => {
      const block = pem(label, keyBody);
      expect(findSecrets(`key:\n${block}\nend`)).toEqual([{ kind: 'private key', index: 5, length: block.length }]);
      expect(findSecrets(block.replaceAll('\n', '\\n'))).toHaveLength(1);
    },
  );
  it('in a private key is found when its end was cut off', () => {
    const torn = pem('PRIVATE KEY', keyBody).split(`\n-----${'END'}`)[0] ?? '';
    expect(findSecrets(`${torn}\nprose`)).toEqual([{ kind: 'private key', index: 0, length: torn.length }]);
  });

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const jwt = (header: object) => [part(header), part({ sub: '4711', admin: true }), noise(43)].join('.');
  it('is a JSON web token when its header names an algorithm', () => {
    const token = jwt({ alg: 'HS256', typ: 'JWT' });
    expect(findSecrets(`Bearer ${token}.`)).toEqual([{ kind: 'JSON web token', index: 7, length: token.length }]);
    expect(findSecrets(jwt({ kind: 'no token at all' }))).toEqual([]);
    expect(findSecrets(`eyJhbGciOi.broken.${noise(43)}`)).toEqual([]);
  });
  it.each(['postgres://user:secret@host', 'redis://:hunter2@10.0.0.7:6379/0', 'https://ci:s3cr3t@git.internal/repo.git'])(
    'in the URL %s is found, and only its password is named',
    (url) => {
      const password = /:([^:@/]+)@/.exec(url)?.[1] ?? '';
      const text = `see ${url} for it`;
      expect(findSecrets(text)).toEqual([{ kind: 'password in a URL', index: text.indexOf(`${password}@`), length: password.length }]);
    },
  );

  it('is found beside others, in order and once', () => {
    const text = LIVE.map(([, credential]) => credential).join(' ');
    expect(findSecrets(text).map(({ kind }) => kind)).toEqual(LIVE.map(([kind]) => kind));
  });
});

describe('unseen characters', () => {
  it.each(['\u200b', '\u2060', '\ufeff', '\u00ad', '\u{e0041}', '\ufff9', '\ufffa', '\ufffb', '\u00a0'])(
    '%j in a credential does not hide it, and its place is that in the text',
    (unseen) => {
      const [kind, credential] = LIVE[0] ?? ['', ''];
      const split = `${credential.slice(0, 6)}${unseen}${credential.slice(6, 9)}${unseen}${unseen}${credential.slice(9)}`;
      expect(findSecrets(`a\u200bb ${split} and prose`)).toEqual([{ kind, index: 4, length: split.length }]);
    },
  );

  it('beside a credential do not hide it either, and are no credential by themselves', () => {
    const [kind, credential] = LIVE[0] ?? ['', ''];
    expect(findSecrets(`key\u200b${credential}`)).toEqual([{ kind, index: 4, length: credential.length }]);
    expect(findSecrets('a family \u{1f468}\u200d\u{1f469}\u200d\u{1f467} and soft\u00adware')).toEqual([]);
  });
});

describe('other forms of letters', () => {
  const [kind, credential] = LIVE[0] ?? ['', ''];
  const moved = (by: (code: number) => number) => [...credential].map((c) => String.fromCodePoint(by(c.charCodeAt(0)))).join('');
  const fullWidth = moved((code) => code + 0xfee0);
  const bold = moved((code) => (code < 65 ? 0x1d7ce + code - 48 : 0x1d400 + code - 65));

  it.each([fullWidth, bold, `${fullWidth.slice(0, 7)}\ufff9${fullWidth.slice(7)}`])('of %j do not hide it', (written) => {
    for (const before of ['', 'ligature \ufb03 ', 'key\u00a0'])
      expect(findSecrets(`${before}${written} end`)).toEqual([{ kind, index: before.length, length: written.length }]);
  });
});

describe('what is no secret', () => {
  it.each([
    `AK${'IA'}IOSFODNN7EXAMPLE`,
    'sk-xxxx',
    hyphened('sk', 'x'.repeat(48)),
    `gh${'p_'}${'x'.repeat(36)}`,
    `gh${'p_'}abcdefghijklmnopqrstuvwxyz0123456789`,
    `gh${'p_'}${'0'.repeat(36)}`,
    hyphened('sk', `an${'t'}`, 'api03', 'your-key-goes-in-here-please-replace'),
    `sk${'_live_'}${'abc'.repeat(10)}`,
    `sk${'_test_'}${noise(24)}`,
    'your_key_here',
    `The header -----${'BEGIN'} PRIVATE KEY----- starts such a file`,
    `-----${'BEGIN'} PUBLIC KEY-----\n${noise(64)}\n-----${'END'} PUBLIC KEY-----`,
    `-----${'BEGIN'} PRIVATE KEY-----\n${'A'.repeat(64)}\n-----${'END'} PRIVATE KEY-----`,
    ...['password', 'xxx', '<password>', '$PGPASSWORD', '${PASS}', '****', '...', 'your-password'].map(
      (no) => `postgres://user:${no}@host/db`,
    ),
    'postgres://postgres:postgres@localhost:5432/app',
    'amqp://guest:guest@rabbit',
    'amqp://:guest@rabbit',
    [
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
      'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ',
      'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
    ].join('.'),
    hyphened('sk', 'learn', 'pipeline', '2024', 'RandomForestClassifier', 'with', 'grid', 'search'),
    'ssh://git@host:22/repo and http://localhost:8080/@scope/name',
    '550e8400-e29b-41d4-a716-446655440000',
    `a commit is 2fb1fa7a${noise(32).toLowerCase()}`,
    'https://hooks.slack.com/services/',
    hyphened('sk', 'learn', 'based', 'pipelines', 'for', 'the', 'platform', 'data', 'team'),
    'task-management-for-distributed-teams-and-others',
    '',
  ])('%j', (text) => expect(findSecrets(text)).toEqual([]));

  it('is prose, and any text is scanned without overlap', () => {
    const part = fc.constantFrom(
      'word ',
      `-----${'BEGIN'} PRIVATE KEY-----`,
      `-----${'END'} PRIVATE KEY-----`,
      noise(64),
      '\n',
      `AK${'IA'}`,
      upper(16),
      ' ',
      hyphened('sk', ''),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        let end = 0;
        for (const { index, length } of findSecrets(text)) {
          expect(index).toBeGreaterThanOrEqual(end);
          end = index + length;
          expect(end).toBeLessThanOrEqual(text.length);
        }
      }),
    );
  });
});
