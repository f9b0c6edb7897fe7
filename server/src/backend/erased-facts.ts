import { areFactsReadable, erasePersonalFacts, packFacts, unpackFacts } from '@portcullis/engine';

const NO_FACTS = new Uint8Array(0);

/** Stored facts without those that may recognize a person. Nobody reads facts of an unreadable version. */
export const eraseStoredFacts = (row: { readonly facts_version: number; readonly facts: Uint8Array }): Uint8Array => {
  if (!areFactsReadable(row.facts_version)) return NO_FACTS;
  const facts = unpackFacts(row.facts);
  erasePersonalFacts(facts);
  return packFacts(facts);
};
