import type { Address, Case, EventSubject, Knowledge, TransactionSubject } from '@portcullis/client';
import type { EntityKind } from '../entity/path.ts';
import { formatMoney, formatName } from '../parts/format.ts';

export type Subject = TransactionSubject | EventSubject;
export const isPayment = (subject: Subject): subject is TransactionSubject => 'amount' in subject;

/** One line about what happened, such as `€950.00 by card to shop_nordlys`. */
export const titleOf = (subject: Subject): string => {
  if (!isPayment(subject))
    return subject.outcome === 'failed' ? `${formatName(subject.type)}, failed` : formatName(subject.type);
  const { amount, currency, payment_method, counterparty_id } = subject;
  const by = payment_method === undefined ? '' : ` by ${payment_method}`;
  const to = counterparty_id === undefined ? '' : ` to ${counterparty_id}`;
  return `${formatMoney(amount, currency)}${by}${to}`;
};
export const plainTitleOf = ({ subject_type }: Pick<Case, 'subject_type'>): string =>
  subject_type === 'transaction' ? 'Payment' : 'Event';

export interface Sent {
  readonly name: string;
  /** Undefined if it was not sent. */
  readonly value: string | undefined;
  readonly marks: readonly { readonly text: string; readonly isBad: boolean }[];
  /** What it can be looked up as. */
  readonly entity?: { readonly kind: EntityKind; readonly value: string };
}
const addressText = (address: Address | undefined): string | undefined =>
  address === undefined
    ? undefined
    : [address.line1, address.line2, address.postal_code, address.city, address.state, address.country]
        .filter(Boolean)
        .join(', ');

const marksOf = (pairs: readonly (readonly [boolean | null | undefined, string])[]) =>
  pairs.filter(([isOn]) => isOn === true).map(([, text]) => ({ text, isBad: true }));

const named = (kind: EntityKind, sent: Sent, value: string | null | undefined = sent.value): Sent =>
  value == null ? sent : { ...sent, entity: { kind, value } };

/** Every member that was sent, with what was looked up; and the important ones that were not. */
export const sentOf = (subject: Subject, knowledge: Knowledge | null | undefined): readonly Sent[] => {
  const plain = (name: string, value: string | undefined): Sent => ({ name, value, marks: [] });
  const country = knowledge?.country ?? undefined;
  const network = [
    ...(country === undefined ? [] : [{ text: country, isBad: false }]),
    ...marksOf([
      [knowledge?.hosting, 'hosting'],
      [knowledge?.vpn, 'VPN'],
      [knowledge?.proxy, 'proxy'],
      [knowledge?.tor, 'Tor'],
    ]),
  ];
  const device = [
    ...(knowledge?.device_state == null
      ? []
      : [{ text: knowledge.device_state, isBad: knowledge.device_state !== 'verified' }]),
    ...marksOf([[knowledge?.device_automation, 'automated']]),
  ];
  const email = [
    ...marksOf([[knowledge?.email_disposable, 'disposable']]),
    ...(knowledge?.email_free === true ? [{ text: 'free provider', isBad: false }] : []),
  ];
  const payment: readonly Sent[] = isPayment(subject)
    ? [
        named('payment_fingerprint', plain('Card', subject.payment_fingerprint)),
        named('counterparty', plain('Counterparty', subject.counterparty_id)),
        plain('Billing', addressText(subject.billing_address)),
        plain('Shipping', addressText(subject.shipping_address)),
      ]
    : [];
  return [
    plain('User', subject.user_id),
    named('email', { name: 'E-mail', value: subject.email, marks: email }),
    named('ip_address', { name: 'Address', value: subject.ip_address, marks: network }),
    named('device', { name: 'Device', value: subject.device_token, marks: device }, knowledge?.device_id),
    ...payment,
    ...Object.entries(subject.metadata ?? {}).map(([name, value]) => plain(`metadata.${name}`, value)),
  ];
};
