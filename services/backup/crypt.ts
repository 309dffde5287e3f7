import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { DomainError } from '../../domain/errors.js';
import { BackupDamaged } from './damage.js';
import { writeWhole } from './files.js';
import type { Manifest } from './layout.js';

/**
 * How backups are encrypted, if at all: to a passphrase, or to a key file as `age-keygen` writes it. A key file that holds
 * only the public half can write backups and not read them.
 */
export type Secrets = {
  readonly passphrase?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Base-2 logarithm of scrypt's work. Default 18. */
  readonly workFactor?: number | undefined;
};

export type Encryption = NonNullable<Manifest['encryption']>;
export type Seal = (bytes: Uint8Array) => Promise<Uint8Array>;
export type Open = (bytes: Buffer, part: string) => Promise<Buffer>;

const KEY = 'key.age';
const PLAIN: Open = async (bytes) => bytes;

/**
 * Every file of a set is encrypted to one key pair (X25519). With a passphrase, the private half lies beside the segments,
 * itself encrypted to the passphrase: adding a segment needs no slow derivation, and age alone can open everything.
 */
export const newEncryption = async (dir: string, secrets: Secrets): Promise<Encryption | undefined> => {
  const fromFile = secrets.keyFile === undefined ? undefined : await readKeyFile(secrets.keyFile);
  if (fromFile) return { recipient: fromFile.recipient, key: 'file' };
  if (secrets.passphrase === undefined) return undefined;
  const identity = await generateX25519Identity();
  const encrypter = new Encrypter();
  encrypter.setPassphrase(secrets.passphrase);
  if (secrets.workFactor !== undefined) encrypter.setScryptWorkFactor(secrets.workFactor);
  await writeWhole(join(dir, KEY), await encrypter.encrypt(`${identity}\n`));
  return { recipient: await identityToRecipient(identity), key: 'passphrase' };
};

/** Whether a set may be continued under these secrets, or needs a set of its own. */
export const sameEncryption = async (dir: string, encryption: Encryption | undefined, secrets: Secrets): Promise<boolean> => {
  if (secrets.keyFile !== undefined) return encryption?.recipient === (await readKeyFile(secrets.keyFile)).recipient;
  if (secrets.passphrase === undefined) return encryption === undefined;
  if (encryption?.key !== 'passphrase') return false;
  return identityOf(dir, encryption, secrets).then(
    () => true,
    () => false,
  );
};

export const sealFor = (encryption: Encryption | undefined): Seal => {
  if (!encryption) return async (bytes) => bytes;
  const encrypter = new Encrypter();
  encrypter.addRecipient(encryption.recipient);
  return (bytes) => encrypter.encrypt(bytes);
};

/** Throws VALIDATION when the set is encrypted and these secrets do not open it. */
export const openFor = async (dir: string, encryption: Encryption | undefined, secrets: Secrets): Promise<Open> => {
  if (!encryption) return PLAIN;
  const decrypter = new Decrypter();
  decrypter.addIdentity(await identityOf(dir, encryption, secrets));
  return async (bytes, part) => {
    try {
      return Buffer.from(await decrypter.decrypt(bytes));
    } catch {
      throw new BackupDamaged('altered', part, 'it does not decrypt');
    }
  };
};

const identityOf = async (dir: string, encryption: Encryption, { passphrase, keyFile }: Secrets): Promise<string> => {
  if (encryption.key === 'file') {
    if (keyFile === undefined)
      throw locked('It needs the key file it was written to', 'Set BACKUP_KEY_FILE to the file with the private key.');
    const { identity, recipient } = await readKeyFile(keyFile);
    if (recipient !== encryption.recipient || identity === undefined) {
      throw locked('The key file does not hold its private key', 'Set BACKUP_KEY_FILE to the file with the private key of this backup.');
    }
    return identity;
  }
  if (passphrase === undefined) throw locked('It needs its passphrase', 'Set BACKUP_PASSPHRASE.');
  const sealed = await readFile(join(dir, KEY)).catch(() => undefined);
  if (!sealed) throw new BackupDamaged('missing', KEY);
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  const identity = await decrypter.decrypt(sealed, 'text').catch(() => undefined);
  if (identity === undefined) throw locked('The passphrase does not open it', 'Set BACKUP_PASSPHRASE to the one it was written with.');
  return identity.trim();
};

const locked = (why: string, hint: string): DomainError => new DomainError('VALIDATION', `The backup is encrypted. ${why}`, hint);

const readKeyFile = async (path: string): Promise<{ readonly identity: string | undefined; readonly recipient: string }> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new DomainError('VALIDATION', `BACKUP_KEY_FILE cannot be read: ${error.code}`, 'Make one with age-keygen -o <file>.');
  });
  const lines = text.split('\n').map((line) => line.trim());
  const identity = lines.find((line) => line.startsWith('AGE-SECRET-KEY-'));
  const recipient =
    identity === undefined ? lines.find((line) => line.startsWith('age1')) : await identityToRecipient(identity).catch(() => undefined);
  if (recipient !== undefined) return { identity, recipient };
  throw new DomainError('VALIDATION', 'BACKUP_KEY_FILE holds no age key', 'Make one with age-keygen -o <file>.');
};
