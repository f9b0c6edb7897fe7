import Type from 'typebox';
import { LABEL_REASONS } from './constants.ts';
import { nullable } from './text.ts';

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
