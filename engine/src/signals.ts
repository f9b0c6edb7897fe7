import type { Facts } from './facts.ts';
import { ACCOUNT_SIGNALS } from './signals-account.ts';
import { PAYMENT_SIGNALS } from './signals-payment.ts';
import { PLACE_SIGNALS } from './signals-place.ts';
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

export const SIGNALS: readonly Signal[] = [...PAYMENT_SIGNALS, ...PLACE_SIGNALS, ...ACCOUNT_SIGNALS];

/** Given by the built-in list of addresses for trying the service out, not by `SIGNALS`. */
export const TEST_ADDRESS_SIGNAL = 'test_address';

/** Given when the model alone would hold the subject for a review: whatever is held has a reason. Not among `SIGNALS`, for it adds nothing. */
export const MODEL_SIGNAL = 'model_risk';
