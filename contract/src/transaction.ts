import Type from 'typebox';
import { Address } from './address.ts';
import { PAYMENT_METHODS } from './constants.ts';
import { isCurrency } from './currencies.ts';
import { id } from './ids.ts';
import { imported, knowledge, optionalText, SUBJECT_DESCRIPTION, sentFields } from './screened-subject.ts';
import { deviceToken, email, ipAddress, Metadata, paymentFingerprint, userId } from './subject.ts';
import { callerId, nullable, text, timestamp } from './text.ts';
import { DecisionValue, RiskScore, Signals, Warnings } from './verdict.ts';

export const TransactionRequest = Type.Object(
  {
    user_id: userId,
    amount: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1e15,
      description: 'Amount in units of `currency`, not in cents.',
      examples: [49.9],
    }),
    currency: Type.Refine(
      text(3, 3, { description: 'ISO 4217 code, in either case.', examples: ['EUR'] }),
      isCurrency,
      () => 'must be a current three-letter ISO 4217 code, such as EUR',
    ),
    ip_address: Type.Optional(ipAddress),
    device_token: Type.Optional(deviceToken),
    payment_method: Type.Optional(Type.Enum(PAYMENT_METHODS, { examples: ['card'] })),
    payment_fingerprint: Type.Optional(
      paymentFingerprint('Your stable token of the card, account or wallet. Never send a card number.'),
    ),
    counterparty_id: Type.Optional(callerId('The payee: merchant, terminal or account.', 'shop_77')),
    email: Type.Optional(email),
    billing_address: Type.Optional(Address),
    shipping_address: Type.Optional(Address),
    metadata: Type.Optional(Metadata),
  },
  { $id: 'TransactionRequest', description: 'A payment to screen.' },
);
export type TransactionRequest = Type.Static<typeof TransactionRequest>;

export const TransactionSubject = Type.Object(
  {
    user_id: Type.String({ examples: ['user_1842'] }),
    amount: Type.Number({ examples: [49.9] }),
    currency: Type.String({ examples: ['EUR'] }),
    payment_method: Type.Optional(Type.Enum(PAYMENT_METHODS, { examples: ['card'] })),
    payment_fingerprint: optionalText('pm_6d41aa'),
    counterparty_id: optionalText('shop_77'),
    ...sentFields,
    billing_address: Type.Optional(Address),
    shipping_address: Type.Optional(Address),
  },
  { $id: 'TransactionSubject', description: SUBJECT_DESCRIPTION },
);
export type TransactionSubject = Type.Static<typeof TransactionSubject>;

export const Transaction = Type.Object(
  {
    transaction_id: id('transaction', 'Identifies this result, for 90 days.'),
    user_id: Type.String({ examples: ['user_1842'] }),
    amount: Type.Number({ examples: [49.9] }),
    currency: Type.String({ examples: ['EUR'] }),
    risk_score: RiskScore,
    decision: DecisionValue,
    signals: Signals,
    screened_at: timestamp('When the transaction was screened; of an imported one, when it happened.'),
    decision_id: id('decision', 'The decision, with its factors and reviews.'),
    case_id: nullable(id('case', 'The review case.'), { description: '`null` unless the decision is `review`.' }),
    imported,
    subject: Type.Optional(TransactionSubject),
    knowledge,
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Transaction', description: 'Result of screening a transaction. It never changes.' },
);
export type Transaction = Type.Static<typeof Transaction>;
