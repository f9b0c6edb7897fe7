import { createHmac, hkdfSync } from 'node:crypto';
import type { TagOf } from '@portcullis/contract';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const TAG_LETTERS = 13;

/** 61 bits of the digest as letters: digits could look like a part of a card number. */
const lettersOf = (digest: Buffer): string => {
  let letters = '';
  for (let at = 0; at < TAG_LETTERS; at++) letters += LETTERS[digest.readUInt16BE(2 * at) % LETTERS.length];
  return letters;
};

/**
 * Makes the tags of identifiers whose digits were hidden because they looked like a card number. Only the key can turn
 * a tag back into digits, by trying all of them. The same digits of another tenant get another tag.
 */
export const makeIdentifierTags = (identityKey: Uint8Array) => {
  const key = Buffer.from(hkdfSync('sha256', identityKey, Buffer.alloc(0), 'portcullis identifier tags', 32));
  return (tenant: number): TagOf =>
    (hidden) =>
      lettersOf(createHmac('sha256', key).update(`${tenant} ${hidden}`).digest());
};
export type IdentifierTags = ReturnType<typeof makeIdentifierTags>;
