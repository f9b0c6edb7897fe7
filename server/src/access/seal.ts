import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const KEY_FILE = 'secret.key';

/** The key of this installation: as set, or made once and kept beside the data, readable by the owner alone. */
export const loadSecretKey = (configured: Buffer | undefined, dataDir: string): Buffer => {
  if (configured !== undefined) return configured;
  const path = join(dataDir, KEY_FILE);
  if (!existsSync(path)) {
    // wx: of two processes that start at once, one makes the key and the other must not replace it.
    try {
      writeFileSync(path, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (key.length !== 32) throw new Error(`${path} must hold 32 bytes in base64; restore it from a backup`);
  return key;
};

/** Everything that needs the installation's key. Each use has a key of its own, derived from it. */
export const makeSeal = (secretKey: Buffer) => {
  const derive = (use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secretKey, Buffer.alloc(0), `portcullis ${use}`, 32));
  const sealing = derive('seal');
  const pepper = derive('api keys').toString('hex');
  const fingerprinting = derive('fingerprints');
  const chaining = derive('audit');
  return {
    /** Encrypts for storage. `context` names the row, so that a sealed value moved to another row does not open. */
    seal: (plain: string, context: string): Uint8Array => {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed: Uint8Array, context: string): string => {
      const decipher = createDecipheriv('aes-256-gcm', sealing, sealed.subarray(0, 12));
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-16));
      return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8');
    },
    /** A stolen table of these is of no use without the pepper. */
    hashKey: (key: string): string => hash('sha256', pepper + key),
    /** What an entry of the audit is known to be genuine by. With the key of fingerprints, whoever sends a body could have any entry made. */
    chain: (parts: readonly (string | number)[]): string =>
      createHmac('sha256', chaining).update(JSON.stringify(parts)).digest('hex'),
    fingerprint: (text: string): string => createHmac('sha256', fingerprinting).update(text).digest('hex'),
  };
};
export type Seal = ReturnType<typeof makeSeal>;
