import Type from 'typebox';
import { nullable } from './text.ts';

/** How a confirmed fraud was done. Only fraud has a reason. */
export const LABEL_REASONS = ['takeover', 'stolen_card', 'first_party', 'mule', 'card_testing', 'other'] as const;
export type LabelReason = (typeof LABEL_REASONS)[number];

const MEANINGS =
  "`takeover`: another person used the customer's account. `stolen_card`: the payment instrument was used without its owner. " +
  '`first_party`: the customer committed or wrongly disputes it. `mule`: the account or counterparty passes stolen money on. ' +
  '`card_testing`: it tested whether a card works. `other`: none of these.';

/** The optional reason in a request; `fraud` names the outcome it may be sent with. */
export const reason = (fraud: string) =>
  Type.Enum(LABEL_REASONS, {
    description: `How the fraud was done; only with ${fraud}. ${MEANINGS}`,
    examples: ['stolen_card'],
  });

/** The reason in a response. */
export const reasonOrNull = (description: string) =>
  nullable(Type.Enum(LABEL_REASONS, { examples: ['stolen_card'] }), { description });
