import type { EventRequest, SubjectType, TransactionRequest } from '@portcullis/contract';

/**
 * The request of a screening whose person was erased. It keeps the fields that features read and that identify no
 * person. `erased` has the names of the others that were sent: without them a decision would say that they were not.
 */

type Request = TransactionRequest | EventRequest;

/** No user has it: a caller sends at least one character. */
export const NO_USER = '';
const ERASED = `{"user_id":"${NO_USER}",`;

/** Whether the person of a stored screening was erased. */
export const isErased = ({ request }: { readonly request: string }): boolean => request.startsWith(ERASED);
/** SQL condition for the same. */
export const IS_ERASED = `request LIKE '${ERASED}%'`;

/**
 * The fields of a request that features read and that identify no person. Without metadata, which may contain anything.
 */
export type ImpersonalRequest =
  | Pick<TransactionRequest, 'amount' | 'currency' | 'payment_method' | 'billing_address' | 'shipping_address'>
  | Pick<EventRequest, 'type' | 'outcome'>;

const countryOf = (address: { country?: string } | undefined): { country: string } | undefined =>
  address?.country === undefined ? undefined : { country: address.country };

export const impersonal = (type: SubjectType, request: string): ImpersonalRequest => {
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

/** Values that stand for erased ones where only their presence matters. */
const STAND_INS = {
  ip_address: '0.0.0.0',
  device_token: 'erased',
  email: 'erased@erased.invalid',
  payment_fingerprint: 'erased',
  counterparty_id: 'erased',
  shipping_address: { line1: 'erased', postal_code: 'erased' },
} as const;
type Field = keyof typeof STAND_INS;

/** The text of a request without its person. */
export const eraseRequest = (type: SubjectType, request: string): string => {
  const sent = JSON.parse(request) as Partial<Record<Field, unknown>>;
  const erased = (Object.keys(STAND_INS) as Field[]).filter((field) => sent[field] !== undefined);
  return JSON.stringify({ user_id: NO_USER, ...impersonal(type, request), erased });
};

/** The stored request for a reader that needs to know which fields were sent, but none of their values. */
export const presentRequest = <R extends Request>(text: string): R => {
  const { erased = [], ...request } = JSON.parse(text) as R & { erased?: readonly Field[] };
  if (erased.length === 0) return request as unknown as R;
  const standIns = erased.map((field) => {
    const kept = (request as unknown as Partial<Record<Field, object>>)[field];
    return [field, typeof STAND_INS[field] === 'string' ? STAND_INS[field] : { ...STAND_INS[field], ...kept }];
  });
  return { ...request, ...Object.fromEntries(standIns) } as unknown as R;
};

/** Whether a stored request had a field, even if its value was erased. */
export const wasSent = (request: object, field: Field): boolean => {
  const { erased, [field]: value } = request as Partial<Record<Field, unknown>> & { erased?: readonly Field[] };
  return value !== undefined || erased?.includes(field) === true;
};

/** The stored request for a reader that shows it. */
export const shownRequest = <R extends Request>(text: string): R => {
  const { erased: _, ...request } = JSON.parse(text) as R & { erased?: readonly Field[] };
  return request as unknown as R;
};
