import type { Subject } from './subject.ts';

/**
 * Members of a request whose values are names: an account's own metadata, and a few of ours. Where their values repeat, each becomes a number:
 * the log-odds of fraud among the rows that had it, so that trees can put those that are alike on one side.
 */
const OWN = ['payment_method', 'currency', 'billing_address.country', 'shipping_address.country'];
export const METADATA = 'metadata.';

export const isCategory = (member: string): boolean => member.startsWith(METADATA) || OWN.includes(member);

/** The value of such a member; undefined where the request has none. */
export const categoryOf = (subject: Subject, member: string): string | undefined => {
  if (member.startsWith(METADATA)) {
    const metadata = subject.request.metadata as Readonly<Record<string, string>> | undefined;
    const key = member.slice(METADATA.length);
    // An account may name a key `constructor`, which every object has by birth.
    return metadata !== undefined && Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  }
  if (subject.type === 'event') return undefined;
  const { request } = subject;
  switch (member) {
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

/** Every member of a subject that may be a category. */
export const categoryMembers = (subject: Subject): string[] => {
  const { metadata } = subject.request;
  const own = metadata === undefined ? [] : Object.keys(metadata).map((key) => METADATA + key);
  return [...OWN.filter((member) => categoryOf(subject, member) !== undefined), ...own];
};
