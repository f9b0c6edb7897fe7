// Generated from the contract by `npm run client`. Do not edit.

/** The confirmed outcome of an item. The newest label of an item applies. */
export interface Label {
  /** The label. */
  label_id: string;
  subject_type: 'transaction' | 'event';
  subject_id: string;
  /** The confirmed outcome. */
  label: 'fraud' | 'legitimate';
  /** How the fraud was done: from the request, or else from the fraud label that this one repeats. `null` if unknown. */
  reason: 'takeover' | 'stolen_card' | 'first_party' | 'mule' | 'card_testing' | 'other' | null;
  /** What created the label: a resolved case, an overridden decision, or `POST /v1/labels`. */
  origin: 'case' | 'review' | 'api';
  /** The source from the request, or else the `origin`. */
  source: string;
  /** The analyst, if one was named, or else the API key. */
  author: string;
  occurred_at: string | null;
  notes: string | null;
  /** When the label was added. It counts from then on. */
  labelled_at: string;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** Newest first. */
export interface LabelList {
  labels: Label[];
  has_more: boolean;
}
