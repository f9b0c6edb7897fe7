import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const derive = (secret: Buffer, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `portcullis ${use}`, 32));

/** Identifies a secret key in the store and in messages. It reveals nothing about the key. */
export const secretIdOf = (secret: Buffer): string => derive(secret, 'secret id').toString('hex').slice(0, 16);

/**
 * Encrypts a key under the secret key. `name` is its purpose and version: a row with the name of another does not
 * decrypt. The nonce is derived from the content, so that the same key always gives the same bytes and an interrupted
 * copy of the store can resume; no two contents share a nonce.
 */
export const wrapKey = (secret: Buffer, name: string, key: Uint8Array): Uint8Array => {
  const nonce = createHmac('sha256', derive(secret, 'wrap nonce')).update(`${name}\0`).update(key).digest();
  const iv = nonce.subarray(0, NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', derive(secret, 'wrap'), iv).setAAD(Buffer.from(name));
  return Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
};

/** Throws if the secret key, the name or the bytes are not those of `wrapKey`. */
export const unwrapKey = (secret: Buffer, name: string, wrapped: Uint8Array): Buffer => {
  const decipher = createDecipheriv('aes-256-gcm', derive(secret, 'wrap'), wrapped.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(name)).setAuthTag(wrapped.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(wrapped.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
};
