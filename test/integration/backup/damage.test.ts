import { cpSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BackupDamaged } from '../../../services/backup/damage.js';
import { contents, liveALittle, restore, take, temporaryFolder } from '../../support/backup.js';
import { openTestLog } from '../../support/eventlog.js';
import { startValkey, type TestValkey } from '../../support/valkey.js';

let valkey: TestValkey;
const folder = temporaryFolder();
beforeAll(async () => {
  valkey = await startValkey();
  await using source = await openTestLog({ valkey });
  await liveALittle(source, 2);
  await take(source, folder.path, { name: 'good', segmentEvents: 10 });
  await using other = await openTestLog({ valkey });
  await liveALittle(other, 3);
  await take(other, folder.path, { name: 'foreign', segmentEvents: 10 });
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await valkey.stop();
});

const copyOfGood = (path: string): string => {
  const dir = join(path, 'copy');
  cpSync(join(folder.path, 'good'), dir, { recursive: true });
  return dir;
};

const flip = (path: string, at: number): void => {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
};

type Damage = readonly [name: string, kind: string, part: RegExp, harm: (dir: string) => void];
const damages: readonly Damage[] = [
  ['envelopes cut short', 'torn', /000002\.envelopes/, (dir) => truncateSync(join(dir, '000002.envelopes'), 900)],
  [
    'envelopes cut at the end of a line',
    'torn',
    /000002\.envelopes/,
    (dir) => {
      const text = readFileSync(join(dir, '000002.envelopes'), 'utf8');
      writeFileSync(join(dir, '000002.envelopes'), `${text.split('\n').slice(0, 6).join('\n')}\n`);
    },
  ],
  [
    'payloads cut short',
    'torn',
    /000003\.payloads/,
    (dir) => truncateSync(join(dir, '000003.payloads'), readFileSync(join(dir, '000003.payloads')).length - 9),
  ],
  ['an empty file', 'torn', /000001\.envelopes/, (dir) => truncateSync(join(dir, '000001.envelopes'), 0)],
  ['one bit of an envelope', 'altered', /000002\.envelopes.*line \d+/, (dir) => flip(join(dir, '000002.envelopes'), 700)],
  [
    'one bit of a payload',
    'altered',
    /000002\.payloads.*payload of \d+-\d+/,
    (dir) => flip(join(dir, '000002.payloads'), readFileSync(join(dir, '000002.payloads')).length - 12),
  ],
  [
    'one bit of what lies beside the log',
    'altered|torn',
    /side-/,
    (dir) => {
      const name = readdirSync(dir).find((file) => file.startsWith('side-')) ?? '';
      flip(join(dir, name), 0);
    },
  ],
  [
    'another salt and no claims beside the log',
    'altered',
    /side-/,
    (dir) => {
      const path = join(dir, readdirSync(dir).find((file) => file.startsWith('side-')) ?? '');
      const side = JSON.parse(readFileSync(path, 'utf8')) as { readonly meta: object };
      writeFileSync(path, JSON.stringify({ ...side, meta: { ...side.meta, salt: 'another' }, claims: {} }));
    },
  ],
  [
    'a list of the forgotten that is none',
    'altered',
    /FORGOTTEN.*line 2/,
    (dir) =>
      writeFileSync(join(dir, 'FORGOTTEN'), 'mem:episodic:01J9ZC4Q0000000000000000AB 7-0\nit was the lark, the herald of the morn\n'),
  ],
  [
    'two segments changed over',
    'reordered',
    /000001\.envelopes/,
    (dir) => {
      for (const kind of ['envelopes', 'payloads']) {
        renameSync(join(dir, `000001.${kind}`), join(dir, 'x'));
        renameSync(join(dir, `000002.${kind}`), join(dir, `000001.${kind}`));
        renameSync(join(dir, 'x'), join(dir, `000002.${kind}`));
      }
    },
  ],
  [
    'a segment of another log',
    'foreign',
    /000002\.envelopes/,
    (dir) => {
      for (const kind of ['envelopes', 'payloads']) cpSync(join(folder.path, 'foreign', `000002.${kind}`), join(dir, `000002.${kind}`));
    },
  ],
  [
    'payloads of another log',
    'foreign',
    /000001\.payloads/,
    (dir) => cpSync(join(folder.path, 'foreign', '000001.payloads'), join(dir, '000001.payloads')),
  ],
  ['a missing segment', 'missing', /000002\.envelopes/, (dir) => rmSync(join(dir, '000002.envelopes'))],
  [
    'a manifest that leaves out the last segment',
    'torn',
    /manifest/,
    (dir) => editManifest(dir, (manifest) => ({ ...manifest, segments: manifest.segments.slice(0, -1) })),
  ],
  [
    'a manifest with two segments changed over',
    'reordered',
    /segment/,
    (dir) => editManifest(dir, ({ segments, ...rest }) => ({ ...rest, segments: [segments[1], segments[0], ...segments.slice(2)] })),
  ],
  [
    'a payload that was taken out',
    'missing',
    /000001\.payloads.*which nobody forgot/,
    (dir) => takeOutFirstPayload(join(dir, '000001.payloads')),
  ],
];

type ManifestJson = { readonly segments: readonly unknown[] };
const editManifest = (dir: string, edit: (manifest: ManifestJson) => ManifestJson): void => {
  const path = join(dir, 'manifest.json');
  writeFileSync(path, JSON.stringify(edit(JSON.parse(readFileSync(path, 'utf8')) as ManifestJson)));
};

/** Well-formed, and one payload short: the first that belongs to an event which is no memory's, so that nobody can have forgotten it. */
const takeOutFirstPayload = (path: string): void => {
  const bytes = readFileSync(path);
  const head = bytes.indexOf(0x0a) + 1;
  const records: Buffer[] = [];
  let at = head;
  while (bytes.readUInt32BE(at) !== 0xffffffff) {
    const end = at + 8 + bytes.readUInt32BE(at + 4);
    records.push(bytes.subarray(at, end));
    at = end;
  }
  const system = records.findIndex((record) => record.includes('ErasureConfirmed'));
  const kept = records.filter((_, i) => i !== system);
  const foot = Buffer.from(bytes.subarray(at));
  foot.writeUInt32BE(kept.length, 4);
  writeFileSync(path, Buffer.concat([bytes.subarray(0, head), ...kept, foot]));
};

describe('a damaged backup', () => {
  it.each(damages)('%s: is named, and nothing is written', async (_, kind, part, harm) => {
    using place = temporaryFolder();
    const dir = copyOfGood(place.path);
    harm(dir);
    await using target = await openTestLog({ valkey });
    const before = await contents(target.redis, target.keys, ['log', 'counter', 'ephemeral']);
    const error = await restore(target, dir).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BackupDamaged);
    expect((error as BackupDamaged).kind).toMatch(new RegExp(`^(${kind})$`));
    expect((error as BackupDamaged).message).toMatch(part);
    expect(await contents(target.redis, target.keys, ['log', 'counter', 'ephemeral'])).toEqual(before);
  });

  it('was whole before it was damaged', async () => {
    using place = temporaryFolder();
    await using target = await openTestLog({ valkey });
    expect(await restore(target, copyOfGood(place.path), { dryRun: true })).toMatchObject({ status: 'dry_run', would: 'restored' });
    expect(await target.log.size()).toBe(0);
  });

  it('is restored with a note where an earlier program wrote no digest of what lies beside the log', async () => {
    using place = temporaryFolder();
    const dir = copyOfGood(place.path);
    await using target = await openTestLog({ valkey });
    expect(await restore(target, dir, { dryRun: true })).not.toHaveProperty('side_unproven');
    editManifest(dir, (manifest) => ({ ...manifest, side_sha256: undefined }));
    writeFileSync(join(dir, 'FORGOTTEN'), 'mem:episodic:01J9ZC4Q0000000000000000AB 7-0\nmem:episodic:01J9Z\n');
    expect(await restore(target, dir)).toMatchObject({ status: 'restored', side_unproven: true });
  });

  it('finds a flipped bit anywhere in a segment', async () => {
    using place = temporaryFolder();
    await using target = await openTestLog({ valkey });
    for (const name of ['000001.envelopes', '000001.payloads']) {
      const { length } = readFileSync(join(folder.path, 'good', name));
      for (let i = 0; i < 40; i++) {
        const dir = copyOfGood(place.path);
        const at = Math.floor((i * (length - 1)) / 39);
        flip(join(dir, name), at);
        const error = await restore(target, dir, { dryRun: true }).catch((thrown: unknown) => thrown);
        expect(error, `${name}, byte ${at}`).toBeInstanceOf(BackupDamaged);
        expect((error as BackupDamaged).part).toContain('000001');
      }
    }
  });
});
