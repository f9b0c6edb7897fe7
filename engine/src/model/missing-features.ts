import { type Facts, fact, isHistoryUnavailable } from '../history/facts.ts';
import { ENTITY_KINDS, kindIndex, type RelatedKind } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import { kindName, kindTheme, type NamedKind, thisKind } from './feature-vocabulary.ts';
import type { Description } from './phrase.ts';

const DEVICE_STATE = fact('device_state');

/** Why an entity does not take part in a subject; undefined if that is not known. */
const absenceOf = (kind: NamedKind, { request }: Subject, facts: Facts): string | undefined => {
  switch (kind) {
    case 'ip':
    case 'network':
    case 'asn':
    case 'country':
    case 'place':
      return request.ip_address === undefined ? 'No IP address was sent' : undefined;
    case 'domain':
      return request.email === undefined ? 'No e-mail address was sent' : undefined;
    case 'device':
      return Number.isNaN(facts[DEVICE_STATE])
        ? 'No device identifier was sent'
        : 'The device token does not identify a device';
    case 'shipping':
      return 'No shipping address with street and postal code was sent';
    case 'recurring':
      return 'No counterparty was sent';
    case 'likeness':
      return undefined;
    default:
      return `No ${kindName(kind)} was sent`;
  }
};

const hasHistory = (kind: RelatedKind): boolean => (ENTITY_KINDS as readonly RelatedKind[]).includes(kind);

/**
 * What to say about a feature of entities of which one was not sent, or whose history could not be read. Null if it is
 * not known why it is missing; undefined if none is missing.
 */
export const describeMissing = (
  entities: readonly RelatedKind[],
  subject: Subject,
  facts: Facts,
): Description | null | undefined => {
  for (const entity of entities) {
    const kind = entity as NamedKind;
    if (subject.hashes[kindIndex[kind]] === 0) {
      const text = absenceOf(kind, subject, facts);
      return text === undefined ? null : { text, topic: text, theme: kindTheme(kind) };
    }
    if (hasHistory(kind) && isHistoryUnavailable(subject.hashes, kindIndex[kind], facts)) {
      const text = `The history of ${thisKind(kind)} could not be read`;
      return { text, topic: text, theme: kindTheme(kind) };
    }
  }
  return undefined;
};
