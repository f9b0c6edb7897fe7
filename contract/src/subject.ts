import Type from 'typebox';
import { withCardRule } from './card-numbers/rule.ts';
import { isIp } from './ip.ts';
import { mapOf } from './map.ts';
import { callerId, text } from './text.ts';

/** Fields that transactions and events share. */
export const userId = callerId("Your identifier of the user. The user's risk profile is built from it.", 'user_1842');

export const ipAddress = withCardRule(
  Type.Refine(
    text(2, 45, { description: "The user's IPv4 or IPv6 address.", examples: ['198.51.100.24'] }),
    isIp,
    () => 'must be an IPv4 or IPv6 address such as 198.51.100.24 or 2001:db8::7',
  ),
  'exact',
);

const deviceOptions = {
  description:
    "The device SDK's token, or your own identifier of the device. The service verifies a token and stores only the id of the device, such as `dvk_…`.",
  examples: ['dvc_8f14e45f'],
};
export const MAX_DEVICE_LENGTH = 4096;
/** A device identifier that can be stored and compared. */
export const deviceName = withCardRule(text(1, MAX_DEVICE_LENGTH, deviceOptions), 'device');
/** Accepts any string from a browser. An unreadable token is a signal, not an error: a fraudster must not be able to fail a checkout or skip screening. */
export const deviceToken = withCardRule(
  Type.String({
    ...deviceOptions,
    description: `${deviceOptions.description} A token that is unreadable, longer than 4,096 characters or contains a NUL raises the signal \`tampered_token\`. An empty string counts as absent.`,
  }),
  'device',
);

export const email = withCardRule(
  Type.Refine(
    text(3, 320, { description: "The user's e-mail address.", examples: ['ada@example.com'] }),
    (value) => /^[^\s@]+@[^\s@]+$/.test(value),
    () => 'must be an e-mail address such as ada@example.com',
  ),
  'identifier',
);
/** Masked without a tag: a tag of a card would be a trace of its number. */
export const paymentFingerprint = (description: string) => text(1, 255, { description, examples: ['pm_6d41aa'] });

export const Metadata = Type.Refine(
  mapOf(text(0, 500), {
    maxProperties: 50,
    description: 'Flat map of strings: up to 50 keys of up to 64 characters, with values of up to 500 characters.',
    examples: [{ order_id: 'A-1001', channel: 'web' }],
  }),
  (value) =>
    Object.keys(value).every((key) => {
      const length = [...key].length;
      return length >= 1 && length <= 64 && key.isWellFormed() && !key.includes('\0');
    }),
  () => 'keys must have 1 to 64 characters, well-formed Unicode without NUL characters',
);
export type Metadata = Type.Static<typeof Metadata>;
