import type { DecisionValue, EventType, LabelValue, SubjectType } from '@portcullis/contract';
import { countryOf, type IdentitiesOf, knowledgeIndex, type Subject, unpackVerdict } from '@portcullis/engine/stored';
import type { RestoreSubject, StoredScreening } from '../backend/journal.ts';
import { entityTermsOf, nameTerm, nameTermsOf } from './terms.ts';

/** One screening in the projection: what can be compared, and the terms it is found by. No text of a person. */
export interface SearchItem {
  readonly tenant: number;
  readonly seq: number;
  readonly userTerm: number;
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
  readonly signals: readonly string[];
  /** Ids of the live rules that matched. */
  readonly rules: readonly string[];
}

/** The columns of an item that an answer shows. */
export interface FoundItem extends Pick<SearchItem, 'seq' | 'decision' | 'usd' | 'country'> {
  readonly label: LabelValue | null;
}

const countryIn = ({ knowledge }: Subject): string | null => {
  const number = knowledge[knowledgeIndex.ip_country] as number;
  return number > 0 ? countryOf(number) : null;
};

export const itemOf = (identities: IdentitiesOf, restore: RestoreSubject, row: StoredScreening): SearchItem => {
  const { tenant, seq, type, screened_at: at } = row;
  const { subject } = restore(tenant, row);
  const { score, decision, signals, rules, modelVersion } = unpackVerdict(row.verdict);
  const country = countryIn(subject);
  const entities = entityTermsOf(identities, tenant, subject);
  const event = subject.type === 'event' ? subject.request : undefined;
  return {
    tenant,
    seq,
    userTerm: entities[0] as number,
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
    signals,
    rules,
  };
};
