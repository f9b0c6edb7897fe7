import type { EventRequest, TransactionRequest } from '@portcullis/contract';
import { TEST_ADDRESS_SIGNAL, unpackVerdict } from '@portcullis/engine';
import type { ScreeningRow } from '../screening/screen.ts';
import type { Kept } from './store.ts';

/** What is kept of a request for training: the members that features look at and that name nobody. Not metadata: it may hold anything. */
export type KeptRequest =
  | Pick<TransactionRequest, 'amount' | 'currency' | 'payment_method' | 'billing_address' | 'shipping_address'>
  | Pick<EventRequest, 'type' | 'outcome'>;

const countryOf = (address: { country?: string } | undefined): { country: string } | undefined =>
  address?.country === undefined ? undefined : { country: address.country };

const requestOf = ({ type, request }: ScreeningRow): KeptRequest => {
  if (type === 'event') {
    const { type: what, outcome } = JSON.parse(request) as EventRequest;
    return { type: what, ...(outcome === undefined ? {} : { outcome }) };
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

/** The version of facts that no training reads: what an address for trying things out forced says nothing of anybody. */
const NOT_TO_LEARN_FROM = 0;

/** What of a screening outlives it with its label. */
export const keep = (screening: ScreeningRow): Kept => {
  const { score, decision, signals, modelVersion } = unpackVerdict(screening.verdict);
  return {
    screened_at: screening.screened_at,
    request: JSON.stringify(requestOf(screening)),
    score,
    decision,
    model_version: modelVersion,
    facts_version: signals.includes(TEST_ADDRESS_SIGNAL) ? NOT_TO_LEARN_FROM : screening.facts_version,
    facts: screening.facts,
  };
};
