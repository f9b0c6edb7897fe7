import type { EventRequest, TransactionRequest } from '@portcullis/contract';
import { TEST_ADDRESS_SIGNAL, unpackVerdict } from '@portcullis/engine';
import type { ScreeningRow } from '../backend/journal.ts';
import type { TrainingSnapshot } from './store.ts';

/**
 * The fields of a request that features read and that identify no person. Without metadata, which may contain anything.
 */
export type SnapshotRequest =
  | Pick<TransactionRequest, 'amount' | 'currency' | 'payment_method' | 'billing_address' | 'shipping_address'>
  | Pick<EventRequest, 'type' | 'outcome'>;

const countryOf = (address: { country?: string } | undefined): { country: string } | undefined =>
  address?.country === undefined ? undefined : { country: address.country };

const requestOf = ({ type, request }: ScreeningRow): SnapshotRequest => {
  if (type === 'event') {
    const { type: eventType, outcome } = JSON.parse(request) as EventRequest;
    return { type: eventType, ...(outcome === undefined ? {} : { outcome }) };
  }
  const { amount, currency, payment_method, billing_address, shipping_address } = JSON.parse(
    request,
  ) as TransactionRequest;
  const [billing, shipping] = [countryOf(billing_address), countryOf(shipping_address)];
  return {
    amount,
    currency,
    ...(payment_method === undefined ? {} : { payment_method }),
    ...(billing === undefined ? {} : { billing_address: billing }),
    ...(shipping === undefined ? {} : { shipping_address: shipping }),
  };
};

/** A version of facts that no training reads, for decisions that a test address forced. */
const UNREADABLE_VERSION = 0;

/** The part of a screening that its label keeps after the screening is deleted. */
export const takeTrainingSnapshot = (screening: ScreeningRow): TrainingSnapshot => {
  const { score, decision, signals, modelVersion } = unpackVerdict(screening.verdict);
  return {
    screened_at: screening.screened_at,
    request: JSON.stringify(requestOf(screening)),
    score,
    decision,
    model_version: modelVersion,
    facts_version: signals.includes(TEST_ADDRESS_SIGNAL) ? UNREADABLE_VERSION : screening.facts_version,
    facts: screening.facts,
  };
};
