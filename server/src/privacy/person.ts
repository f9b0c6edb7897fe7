import type { PrivacyRequest } from '@portcullis/contract';
import { mailboxOf } from '@portcullis/engine';
import type { PersonName } from '../search/person.ts';
import type { Seal } from '../secrets/seal.ts';

/** A text that says who the person is, without telling it: the same for the same person. */
export const hashOfPerson = (seal: Seal, tenant: number, { user_id, email }: PrivacyRequest): string =>
  seal.fingerprint(JSON.stringify(['person', tenant, user_id ?? null, email?.toLowerCase() ?? null])).slice(0, 32);

/** Whether a stored request is of the person. */
export const isOfPerson = (
  { user_id, email }: PersonName,
  request: { readonly user_id: string; readonly email?: string | undefined },
): boolean =>
  request.user_id === user_id ||
  (email !== undefined &&
    request.email !== undefined &&
    mailboxOf(request.email.toLowerCase()) === mailboxOf(email.toLowerCase()));

/** Shorter values are compared with whole texts: as a part of a text they mean nothing. */
const LONG_ENOUGH = 4;
const IN_WORD = /[\p{L}\p{N}_]/u;

/** Whether a text has the value as a word of its own. */
const hasWord = (text: string, value: string): boolean => {
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1))
    if (!IN_WORD.test(text[at - 1] ?? ' ') && !IN_WORD.test(text[at + value.length] ?? ' ')) return true;
  return false;
};

/** Makes the function that finds any of the values in a text, also in the text of JSON. */
export const makeMentions = (values: readonly string[]): ((text: string) => boolean) => {
  const all = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  const wanted = [...new Set(all.map((value) => value.toLowerCase()))];
  return (text) => {
    const lower = text.toLowerCase();
    return wanted.some((value) =>
      value.length < LONG_ENOUGH ? lower === value || lower.includes(`"${value}"`) : hasWord(lower, value),
    );
  };
};
