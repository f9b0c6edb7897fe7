import { ACCOUNT_SIGNALS } from './account.ts';
import { DEVICE_SIGNALS } from './device.ts';
import { DEVICE_TOKEN_SIGNALS } from './device-token.ts';
import { EMAIL_DOMAIN_SIGNALS, EMAIL_SIGNALS } from './email.ts';
import { INSTRUMENT_SIGNALS } from './instrument.ts';
import { FRAUD_SIGNALS } from './known-fraud.ts';
import { NETWORK_SIGNALS } from './network.ts';
import { ORIGIN_SIGNALS } from './origin.ts';
import { PAYMENT_SIGNALS } from './payment.ts';
import type { Signal } from './signal.ts';
import { TAKEOVER_SIGNALS } from './takeover.ts';

/** The signals in the order of the documentation. */
export const SIGNAL_GROUPS: readonly { readonly title: string; readonly signals: readonly Signal[] }[] = [
  { title: 'The payment', signals: PAYMENT_SIGNALS },
  { title: 'Payment instruments', signals: INSTRUMENT_SIGNALS },
  {
    title: 'IP addresses, networks and devices',
    signals: [...NETWORK_SIGNALS, ...DEVICE_SIGNALS, ...EMAIL_SIGNALS],
  },
  { title: 'Device SDK', signals: DEVICE_TOKEN_SIGNALS },
  { title: 'Location and network type', signals: ORIGIN_SIGNALS },
  { title: 'The account and its history', signals: [...ACCOUNT_SIGNALS, ...EMAIL_DOMAIN_SIGNALS] },
  { title: 'Account takeover', signals: TAKEOVER_SIGNALS },
  { title: 'Confirmed fraud', signals: FRAUD_SIGNALS },
];
export const SIGNALS: readonly Signal[] = SIGNAL_GROUPS.flatMap(({ signals }) => signals);

/** The signal of the built-in test addresses. It is not among `SIGNALS`. */
export const TEST_ADDRESS_SIGNAL = 'test_address';

/**
 * Active when the model score alone reaches review, so that every held subject has a reason. It is not among
 * `SIGNALS`, since it has no points.
 */
export const MODEL_SIGNAL = 'model_risk';
