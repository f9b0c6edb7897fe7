import type { DecisionValue, EventType, LabelValue, SubjectType } from '@portcullis/contract';
import { countryOf, knowledgeIndex, type Subject, unpackVerdict } from '@portcullis/engine';
import type { RestoreSubject, StoredScreening } from '../backend/journal.ts';
import { termsOf } from './terms.ts';

/** One screening in the projection: what can be compared, and the terms it is found by. No text of a person. */
export interface SearchItem {
  readonly tenant: number;
  readonly seq: number;
  readonly at: number;
  readonly type: SubjectType;
  readonly eventType: EventType | null;
  readonly outcome: 'succeeded' | 'failed' | null;
  readonly score: number;
  readonly decision: DecisionValue;
  /** Null for an event, and for a currency without a rate. */
  readonly usd: number | null;
  /** The country of the address; null if unknown. */
  readonly country: string | null;
  readonly terms: readonly number[];
}

/** The columns of an item that an answer shows. */
export interface FoundItem extends Pick<SearchItem, 'seq' | 'decision' | 'usd' | 'country'> {
  readonly label: LabelValue | null;
}

const countryIn = ({ knowledge }: Subject): string | null => {
  const number = knowledge[knowledgeIndex.ip_country] as number;
  return number > 0 ? countryOf(number) : null;
};

export const itemOf = (restore: RestoreSubject, row: StoredScreening): SearchItem => {
  const { tenant, seq, type, screened_at: at } = row;
  const { subject } = restore(tenant, row);
  const { score, decision, signals, rules } = unpackVerdict(row.verdict);
  const country = countryIn(subject);
  const event = subject.type === 'event' ? subject.request : undefined;
  return {
    tenant,
    seq,
    at,
    type,
    eventType: event?.type ?? null,
    outcome: event === undefined ? null : (event.outcome ?? 'succeeded'),
    score,
    decision,
    usd: Number.isNaN(subject.dollars) ? null : subject.dollars,
    country,
    terms: termsOf(subject, { rule: rules, signal: signals, country: country === null ? [] : [country] }),
  };
};
