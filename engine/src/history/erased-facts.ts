import { type KnowledgeName, knowledgeIndex, UNAVAILABLE } from '../subject/lookup-facts.ts';
import { knowledgeAt } from './fact-layout.ts';
import type { Facts } from './facts.ts';

/** Looked-up facts that may recognize a person or a device. */
const PERSONAL: readonly KnowledgeName[] = [
  'ip_latitude',
  'ip_longitude',
  'ip_radius_km',
  'asn',
  'device_token_id',
  'device_likeness',
];

/** Makes the facts that may recognize a person unknown. Whether a source was unavailable stays. */
export const erasePersonalFacts = (facts: Facts): void => {
  for (const name of PERSONAL) {
    const at = knowledgeAt(knowledgeIndex[name]);
    if (facts[at] !== UNAVAILABLE) facts[at] = Number.NaN;
  }
};
