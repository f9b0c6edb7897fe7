// Made from the contract by `npm run client`; not to be edited.

/** What is known of an item in hindsight. The newest of an item is in force. */
export interface Label {
  /** The label. */
  label_id: string;
  subject_type: 'transaction' | 'event';
  subject_id: string;
  /** What is known of it now. */
  label: 'fraud' | 'legitimate';
  /** How it came about: a case that was resolved, a decision that was overridden, or `POST /v1/labels`. */
  origin: 'case' | 'review' | 'api';
  /** As given; else the same as `origin`. */
  source: string;
  /** The analyst where one was named, else the API key. */
  author: string;
  occurred_at: string | null;
  notes: string | null;
  /** When it was given here: from then on it counts. */
  labelled_at: string;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}

/** Newest first. */
export interface LabelList {
  labels: Label[];
  has_more: boolean;
}

export interface LabelQuery {
  /** Only those of this `transaction_id` or `event_id`. */
  subject?: string | undefined;
  /** Only those given at this time or later. */
  since?: string | undefined;
  /**
   * How many to return.
   * @default 20
   */
  limit?: number | undefined;
  /** Only older ones: the last `label_id` of the page before. */
  before?: string | undefined;
}

/** What became known of a screened transaction or event. */
export interface LabelRequest {
  /** The transaction it is about. */
  transaction_id?: string | undefined;
  /** The event it is about. Exactly one of the two must be given. */
  event_id?: string | undefined;
  /** What is known of it now. */
  label: 'fraud' | 'legitimate';
  /** Where you have it from, in your own words. */
  source: string;
  /** When it became known to you; not in the future. It counts from now on all the same. */
  occurred_at?: string | undefined;
  /** Why, for audits. */
  notes?: string | undefined;
}
