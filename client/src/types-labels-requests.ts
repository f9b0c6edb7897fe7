// Generated from the contract by `npm run client`. Do not edit.

export interface LabelQuery {
  /** Only labels of this `transaction_id` or `event_id`. */
  subject?: string | undefined;
  /** Only labels added at this time or later. */
  since?: string | undefined;
  /**
   * Page size.
   * @default 20
   */
  limit?: number | undefined;
  /** Cursor: the last `label_id` of the previous page. */
  before?: string | undefined;
}

/** The confirmed outcome of a screened transaction or event. */
export interface LabelRequest {
  /** The labelled transaction. */
  transaction_id?: string | undefined;
  /** The labelled event. Send either `transaction_id` or `event_id`. */
  event_id?: string | undefined;
  /** The confirmed outcome. */
  label: 'fraud' | 'legitimate';
  /** How the fraud was done; only with the label `fraud`. `takeover`: another person used the customer's account. `stolen_card`: the payment instrument was used without its owner. `first_party`: the customer committed or wrongly disputes it. `mule`: the account or counterparty passes stolen money on. `card_testing`: it tested whether a card works. `other`: none of these. */
  reason?: 'takeover' | 'stolen_card' | 'first_party' | 'mule' | 'card_testing' | 'other' | undefined;
  /** Where the information comes from, in your own words. */
  source: string;
  /** When you learned of it; not in the future. The label counts from now on in any case. */
  occurred_at?: string | undefined;
  /** Explanation of the decision, for audits. */
  notes?: string | undefined;
}
