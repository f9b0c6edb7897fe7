import { hash, randomBytes } from 'node:crypto';

/** 256 random bits for a session or a link. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** A token has 256 random bits, so a plain hash is enough: it cannot be guessed, and survives a rotation of keys. */
export const hashToken = (use: 'session' | 'link' | 'sign-in' | 'recovery', token: string): string =>
  hash('sha256', `portcullis ${use} ${token}`);
