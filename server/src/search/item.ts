import type { DecisionValue, EventType, LabelValue, SubjectType } from '@portcullis/contract';
import { MEASURED_MEMBERS, maskCardNumbers } from '@portcullis/contract/values';
import {
  areFactsReadable,
  countryOf,
  type IdentitiesOf,
  type Subject,
  subjectOf,
  unpackCountry,
  unpackOutcome,
} from '@portcullis/engine/stored';
import { isErased, NO_USER, wasSent } from '../backend/erased-request.ts';
import type { StoredScreening } from '../backend/journal.ts';
import { entityTermsOf, NO_ENTITIES, nameTerm, nameTermsOf } from './terms.ts';

/** One screening in the projection: what can be compared, and the terms it is found by. */
export interface SearchItem {
  readonly tenant: number;
  readonly seq: number;
  readonly userTerm: number;
  /** The only text of a person. Null for a person who was erased, and for an id with a card number in it. */
  readonly userId: string | null;
  readonly at: number;
  /** Its time is not that of its number. */
  readonly isImported: boolean;
  readonly type: SubjectType;
  readonly eventType: EventType | null;
  readonly outcome: 'succeeded' | 'failed' | null;
  readonly score: number;
  readonly decision: DecisionValue;
  /** Null for an event. */
  readonly currency: string | null;
  /** Null for an event, and for a currency without a rate. */
  readonly usd: number | null;
  /** The country of the address; null if unknown. */
  readonly country: string | null;
  /** The term of the model that scored it; null without one. */
  readonly model: number | null;
  /** In the order of ENTITY_TERMS; 0 where the item has none. */
  readonly entities: readonly number[];
  /** Terms of signals, rules and the country. */
  readonly names: readonly number[];
  /** The measured members that the request had. */
  readonly members: readonly string[];
  readonly signals: readonly string[];
  /** Ids of the live rules that matched. */
  readonly rules: readonly string[];
}

/** The columns of an item that an answer shows. */
export interface FoundItem extends Pick<SearchItem, 'seq' | 'decision' | 'usd' | 'country'> {
  readonly label: LabelValue | null;
}

const countryIn = ({ facts_version, facts }: StoredScreening): string | null => {
  const number = areFactsReadable(facts_version) ? unpackCountry(facts) : 0;
  return number > 0 ? countryOf(number) : null;
};

/** Release 0.1 stored some ids with a card number in them. They are masked where they are shown. */
const userIdOf = ({ request: { user_id } }: Subject): string | null =>
  user_id === NO_USER || maskCardNumbers(user_id) !== user_id ? null : user_id;

export const itemOf = (identities: IdentitiesOf, row: StoredScreening): SearchItem => {
  const { tenant, seq, type, screened_at: at } = row;
  // No term depends on facts that were looked up.
  const subject = subjectOf(identities(tenant), type, JSON.parse(row.request), at);
  const { score, decision, signals, rules, modelVersion } = unpackOutcome(row.verdict);
  const country = countryIn(row);
  // An erased screening belongs to nobody: found by anything it names, it would give away a part of the person.
  const entities = isErased(row) ? NO_ENTITIES : entityTermsOf(identities, tenant, subject);
  const event = subject.type === 'event' ? subject.request : undefined;
  return {
    tenant,
    seq,
    userTerm: entities[0] as number,
    userId: userIdOf(subject),
    at,
    isImported: row.imported === 1,
    type,
    eventType: event?.type ?? null,
    outcome: event === undefined ? null : (event.outcome ?? 'succeeded'),
    score,
    decision,
    currency: subject.type === 'event' ? null : subject.request.currency,
    usd: Number.isNaN(subject.dollars) ? null : subject.dollars,
    country,
    model: modelVersion === null ? null : nameTerm('model', modelVersion),
    entities,
    names: nameTermsOf({ rule: rules, signal: signals, country: country === null ? [] : [country] }),
    members: MEASURED_MEMBERS[type].filter((name) => wasSent(subject.request, name)),
    signals,
    rules,
  };
};
