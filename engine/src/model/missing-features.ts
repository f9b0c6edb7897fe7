import { type Facts, isHistoryUnavailable } from '../history/facts.ts';
import { ENTITY_KINDS, kindIndex, type RelatedKind } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import { kindName, seenWith, thisKind } from './feature-vocabulary.ts';

/** Why an entity does not take part in a subject. */
const absenceOf = (kind: RelatedKind, { ip_address: ip, email }: Subject['request']): string => {
  switch (kind) {
    case 'ip':
    case 'network':
      return 'No IP address was sent';
    case 'asn':
      return ip === undefined ? 'No IP address was sent' : 'The internet provider of the IP address is unknown';
    case 'country':
    case 'place':
      return ip === undefined ? 'No IP address was sent' : 'The location of the IP address is unknown';
    case 'domain':
      return email === undefined ? 'No e-mail address was sent' : 'The e-mail domain has no history of its own';
    case 'device':
      return 'No device token was sent';
    case 'fingerprint':
      return 'No payment fingerprint was sent';
    default:
      return `No ${kindName(kind)} was sent`;
  }
};

const PAIR = /^user\.this_(\w+)_age_ms$/;
const FIRST_SEEN = /^\w+\.(?:age|idle)_ms$/;

/**
 * The reason why a feature about an entity has no value: the entity was not sent, it is new, or its history could
 * not be read. Undefined for other features.
 */
export const describeMissing = (feature: string, subject: Subject, facts: Facts): string | undefined => {
  const owner = ENTITY_KINDS.find((kind) => feature.replace(/^amount_over_/, '').startsWith(`${kind}.`));
  if (owner === undefined) return undefined;
  const { hashes, request } = subject;
  if (hashes[kindIndex[owner]] === 0) return absenceOf(owner, request);
  if (isHistoryUnavailable(hashes, kindIndex[owner], facts))
    return `The history of ${thisKind(owner)} was not available`;
  const other = PAIR.exec(feature)?.[1] as RelatedKind | undefined;
  if (other !== undefined)
    return hashes[kindIndex[other]] === 0
      ? absenceOf(other, request)
      : `First time this user is seen ${seenWith(other)}`;
  return FIRST_SEEN.test(feature) ? `First time ${thisKind(owner)} is seen` : undefined;
};
