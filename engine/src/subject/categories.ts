import type { Subject } from './subject.ts';

/**
 * Category fields of a request: the account's metadata, and a few fields of the API. Each value that repeats is
 * encoded as the log-odds of fraud among the rows that had it, so that trees can group similar values.
 */
const API_FIELDS = ['payment_method', 'currency', 'billing_address.country', 'shipping_address.country'];
export const METADATA = 'metadata.';

export const isCategory = (field: string): boolean => field.startsWith(METADATA) || API_FIELDS.includes(field);

/** The value of a category field; undefined if the request has none. */
export const categoryOf = (subject: Subject, field: string): string | undefined => {
  if (field.startsWith(METADATA)) {
    const metadata = subject.request.metadata as Readonly<Record<string, string>> | undefined;
    const key = field.slice(METADATA.length);
    // An account may name a key `constructor`, which every object inherits.
    return metadata !== undefined && Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  }
  if (subject.type === 'event') return undefined;
  const { request } = subject;
  switch (field) {
    case 'payment_method':
      return request.payment_method;
    case 'currency':
      return request.currency;
    case 'billing_address.country':
      return request.billing_address?.country;
    case 'shipping_address.country':
      return request.shipping_address?.country;
    default:
      return undefined;
  }
};

/** The category fields that a subject has. */
export const categoryFields = (subject: Subject): string[] => {
  const { metadata } = subject.request;
  const fromMetadata = metadata === undefined ? [] : Object.keys(metadata).map((key) => METADATA + key);
  return [...API_FIELDS.filter((field) => categoryOf(subject, field) !== undefined), ...fromMetadata];
};
