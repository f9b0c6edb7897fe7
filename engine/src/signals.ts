import type { Facts } from './facts.ts';
import { ACCOUNT_SIGNALS } from './signals-account.ts';
import { DEVICE_SIGNALS } from './signals-device.ts';
import { FRAUD_SIGNALS } from './signals-fraud.ts';
import { INSTRUMENT_SIGNALS } from './signals-instrument.ts';
import { ORIGIN_SIGNALS } from './signals-origin.ts';
import { PAYMENT_SIGNALS } from './signals-payment.ts';
import { PLACE_SIGNALS } from './signals-place.ts';
import { TAKEOVER_SIGNALS } from './signals-takeover.ts';
import type { Subject } from './subject.ts';

/**
 * One reason to be careful. Counts in the facts are of what came before, so "this is the fifth" reads `>= 4`. A fact that
 * is NaN, because the request did not name the entity, makes every comparison false: nothing is concluded from it.
 */
export interface Signal {
  readonly name: string;
  /** For the documentation: when it is active. */
  readonly meaning: string;
  readonly on: 'transaction' | 'event' | 'both';
  readonly active: (facts: Facts, subject: Subject) => boolean;
  /** For a reviewer: what was seen, with the numbers. */
  readonly describe: (facts: Facts, subject: Subject) => string;
}

/** As they are told of: a group is what one can know a thing from. */
export const SIGNAL_GROUPS: readonly { readonly title: string; readonly signals: readonly Signal[] }[] = [
  { title: 'The payment', signals: PAYMENT_SIGNALS },
  { title: 'Payment instruments', signals: INSTRUMENT_SIGNALS },
  { title: 'Addresses, networks and devices', signals: PLACE_SIGNALS },
  { title: 'What the device SDK tells', signals: DEVICE_SIGNALS },
  { title: 'Where an address is, and what kind of network it is in', signals: ORIGIN_SIGNALS },
  { title: 'The account and its past', signals: ACCOUNT_SIGNALS },
  { title: 'Changes to the account, and what follows them', signals: TAKEOVER_SIGNALS },
  { title: 'Confirmed fraud', signals: FRAUD_SIGNALS },
];
export const SIGNALS: readonly Signal[] = SIGNAL_GROUPS.flatMap(({ signals }) => signals);

/** Given by the built-in list of addresses for trying the service out, not by `SIGNALS`. */
export const TEST_ADDRESS_SIGNAL = 'test_address';

/** Given when the model alone would hold the subject for a review: whatever is held has a reason. Not among `SIGNALS`, for it adds nothing. */
export const MODEL_SIGNAL = 'model_risk';
