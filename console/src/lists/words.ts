import type { List, Rule } from '@portcullis/client';
import { formatName } from '../parts/format.ts';
import type { Kind } from './rows.ts';

export const TREATMENT_WORDS: Readonly<Record<List['treatment'], string>> = {
  block: 'Blocks',
  review: 'Holds for review',
  trusted: 'Allows',
  none: 'Only for rules',
};
export const TREATMENT_LOOKS: Readonly<Record<List['treatment'], string>> = {
  block: 'block',
  review: 'review',
  trusted: 'allow',
  none: 'plain',
};
const KIND_WORDS: Partial<Record<Kind, string>> = {
  ip_address: 'IP address or network',
  email: 'E-mail address',
  email_domain: 'E-mail domain',
  payment_fingerprint: 'Card or account',
};
export const kindWords = (kind: Kind): string => KIND_WORDS[kind] ?? formatName(kind);

/** The rules whose expression names a list. */
export const rulesWith = (rules: readonly Rule[], list: string): readonly Rule[] =>
  rules.filter(({ expression }) => new RegExp(`["']${list}["']\\s+in\\s+lists\\b`).test(expression));
