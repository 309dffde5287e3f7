import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { DomainError, isDomainError } from '../../domain/errors.js';
import { openWith, sealWith } from './age.js';
import { BackupDamaged } from './damage.js';
import type { Manifest } from './layout.js';
import { passphraseIdentity, passphraseRecipient } from './passphrase.js';

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

/** The file in a set with its private half, encrypted to the passphrase. */
export const KEY = 'key.age';
const PLAIN: Open = async (bytes) => bytes;

/** A new set's encryption, and where a passphrase is used the file with its private half, which lies in the set. */
export type NewEncryption = { readonly encryption: Encryption; readonly keyFile?: Uint8Array };

/**
 * The private halves that a passphrase opened, by the file they lay in: each is derived once for as long as these secrets
 * are in use. Undefined: the passphrase does not open it.
 */
const identities = new WeakMap<Secrets, Map<string, Promise<string | undefined>>>();

/**
 * Every file of a set is encrypted to one key pair (X25519). With a passphrase, the private half lies beside the segments,
 * itself encrypted to the passphrase: adding a segment needs no slow derivation, and age alone can open everything.
 */
export const newEncryption = async (secrets: Secrets): Promise<NewEncryption | undefined> => {
  const fromFile = secrets.keyFile === undefined ? undefined : await readKeyFile(secrets.keyFile);
  if (fromFile) return { encryption: { recipient: fromFile.recipient, key: 'file' } };
  if (secrets.passphrase === undefined) return undefined;
  const identity = await generateX25519Identity();
  const encrypter = new Encrypter();
  encrypter.addRecipient(passphraseRecipient(secrets.passphrase, secrets.workFactor));
  const keyFile = Buffer.from(await encrypter.encrypt(`${identity}\n`));
  openedWith(secrets).set(nameOf(keyFile), Promise.resolve(identity));
  return { encryption: { recipient: await identityToRecipient(identity), key: 'passphrase' }, keyFile };
};

/** Whether a set may be continued under these secrets, or needs a set of its own. Throws UNAVAILABLE when that cannot be told. */
export const sameEncryption = async (dir: string, encryption: Encryption | undefined, secrets: Secrets): Promise<boolean> => {
  if (secrets.keyFile !== undefined) return encryption?.recipient === (await readKeyFile(secrets.keyFile)).recipient;
  if (secrets.passphrase === undefined) return encryption === undefined;
  if (encryption?.key !== 'passphrase') return false;
  return identityOf(dir, encryption, secrets).then(
    () => true,
    (error: unknown) => {
      if (isDomainError(error, 'UNAVAILABLE')) throw error;
      return false;
    },
  );
};

export const sealFor = (encryption: Encryption | undefined): Seal => {
  if (!encryption) return async (bytes) => bytes;
  const encrypter = new Encrypter();
  encrypter.addRecipient(encryption.recipient);
  return (bytes) => sealWith(encrypter, bytes);
};

/** Throws VALIDATION when the set is encrypted and these secrets do not open it. */
export const openFor = async (dir: string, encryption: Encryption | undefined, secrets: Secrets): Promise<Open> => {
  if (!encryption) return PLAIN;
  const decrypter = new Decrypter();
  decrypter.addIdentity(await identityOf(dir, encryption, secrets));
  return async (bytes, part) => {
    try {
      return await openWith(decrypter, bytes);
    } catch {
      throw new BackupDamaged('altered', part, 'it does not decrypt');
    }
  };
};

const identityOf = async (dir: string, encryption: Encryption, secrets: Secrets): Promise<string> => {
  const { passphrase, keyFile } = secrets;
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
  const identity = await onceOpened(secrets, passphrase, sealed);
  if (identity === undefined) throw locked('The passphrase does not open it', 'Set BACKUP_PASSPHRASE to the one it was written with.');
  return identity;
};

const openedWith = (secrets: Secrets): Map<string, Promise<string | undefined>> => {
  const opened = identities.get(secrets) ?? new Map<string, Promise<string | undefined>>();
  identities.set(secrets, opened);
  return opened;
};

const nameOf = (sealed: Uint8Array): string => createHash('sha256').update(sealed).digest('hex');

const onceOpened = (secrets: Secrets, passphrase: string, sealed: Buffer): Promise<string | undefined> => {
  const opened = openedWith(secrets);
  const name = nameOf(sealed);
  const known = opened.get(name);
  if (known) return known;
  const opening = openKey(passphrase, sealed);
  opened.set(name, opening);
  opening.catch(() => opened.delete(name));
  return opening;
};

const openKey = async (passphrase: string, sealed: Buffer): Promise<string | undefined> => {
  const decrypter = new Decrypter();
  decrypter.addIdentity(passphraseIdentity(passphrase));
  try {
    return (await decrypter.decrypt(sealed, 'text')).trim();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    return undefined;
  }
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
