import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { describe, expect, it } from 'vitest';
import { openWith, sealWith } from '../../../services/backup/age.js';
import { passphraseIdentity, passphraseRecipient } from '../../../services/backup/passphrase.js';
import { longestWait } from '../../support/turns.js';

const PASSPHRASE = 'größe of the 🦉 battery';

const byUs = (passphrase: string): Decrypter => {
  const decrypter = new Decrypter();
  decrypter.addIdentity(passphraseIdentity(passphrase));
  return decrypter;
};

const sealedByLibrary = (workFactor = 4): Promise<Uint8Array> => {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(PASSPHRASE);
  encrypter.setScryptWorkFactor(workFactor);
  return encrypter.encrypt('the key');
};

describe('a passphrase', () => {
  it('opens what the library wrote with it, and the library what we write', async () => {
    expect(await byUs(PASSPHRASE).decrypt(await sealedByLibrary(), 'text')).toBe('the key');
    const encrypter = new Encrypter();
    encrypter.addRecipient(passphraseRecipient(PASSPHRASE, 4));
    const decrypter = new Decrypter();
    decrypter.addPassphrase(PASSPHRASE);
    expect(await decrypter.decrypt(await encrypter.encrypt('the key'), 'text')).toBe('the key');
  });

  it('takes the work that age takes by itself', async () => {
    const stanza = (await passphraseRecipient(PASSPHRASE).wrapFileKey(new Uint8Array(16)))[0];
    expect(stanza?.args).toEqual(['scrypt', expect.stringMatching(/^[\w+/]{22}$/), '18']);
  });

  it('another one, or a file that asks for endless work, opens nothing', async () => {
    await expect(byUs('another').decrypt(await sealedByLibrary())).rejects.toThrow(/no identity matched/);
    const text = Buffer.from(await sealedByLibrary()).toString('latin1');
    for (const work of ['21', '0', '04', '4 4', 'x']) {
      const forged = Buffer.from(text.replace(/^(-> scrypt \S+) 4$/m, `$1 ${work}`), 'latin1');
      expect(forged.toString('latin1')).not.toBe(text);
      await expect(byUs(PASSPHRASE).decrypt(forged)).rejects.toThrow(/scrypt/);
    }
  });

  it('is worked on beside everything else', async () => {
    const { took, waited } = await longestWait(async () => passphraseRecipient(PASSPHRASE, 17).wrapFileKey(new Uint8Array(16)));
    expect(waited).toBeLessThan(took / 2);
  });
});

describe('a file', () => {
  const pair = async () => {
    const identity = await generateX25519Identity();
    const [encrypter, decrypter] = [new Encrypter(), new Decrypter()];
    encrypter.addRecipient(await identityToRecipient(identity));
    decrypter.addIdentity(identity);
    return { encrypter, decrypter };
  };

  it.each([0, 1, 65_535, 65_536, 2 ** 18, 2 ** 18 + 1, 2 ** 20])(
    'of %i bytes comes back, and is what the library writes and reads',
    async (size) => {
      const { encrypter, decrypter } = await pair();
      const bytes = Buffer.alloc(size, 'some text ');
      expect((await openWith(decrypter, await sealWith(encrypter, bytes))).equals(bytes)).toBe(true);
      expect(Buffer.from(await decrypter.decrypt(await sealWith(encrypter, bytes))).equals(bytes)).toBe(true);
      expect((await openWith(decrypter, await encrypter.encrypt(bytes))).equals(bytes)).toBe(true);
    },
  );

  it('that was cut or altered does not open', async () => {
    const { encrypter, decrypter } = await pair();
    const sealed = Buffer.from(await sealWith(encrypter, Buffer.alloc(2 ** 19)));
    for (const bytes of [sealed.subarray(0, -1), sealed.subarray(0, 50), Buffer.alloc(0), Buffer.concat([sealed, Buffer.alloc(1)])]) {
      await expect(openWith(decrypter, bytes)).rejects.toThrow();
    }
    sealed[2 ** 18] = (sealed[2 ** 18] ?? 0) ^ 1;
    await expect(openWith(decrypter, sealed)).rejects.toThrow();
  });

  it('is worked on with pauses for everything else', async () => {
    const { encrypter, decrypter } = await pair();
    let sealed: Uint8Array = Buffer.alloc(0);
    const sealing = await longestWait(async () => {
      sealed = await sealWith(encrypter, new Uint8Array(2 ** 24));
    });
    expect(sealing.waited).toBeLessThan(sealing.took / 2);
    expect(sealed.length).toBeGreaterThan(2 ** 24);
    const opening = await longestWait(() => openWith(decrypter, sealed));
    expect(opening.waited).toBeLessThan(opening.took / 2);
  });
});
