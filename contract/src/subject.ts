import Type from 'typebox';
import { isIp } from './ip.ts';
import { mapOf } from './map.ts';
import { callerId, text } from './text.ts';

/** The members that a transaction and an event share. */
export const userId = callerId("Your identifier of the user. The user's risk profile is built from it.", 'user_1842');

export const ipAddress = Type.Refine(
  text(2, 45, { description: "The user's IPv4 or IPv6 address.", examples: ['198.51.100.24'] }),
  isIp,
  () => 'must be an IPv4 or IPv6 address such as 198.51.100.24 or 2001:db8::7',
);

const deviceWords = {
  description:
    "The device SDK's token, or an identifier of the device of your own. A token is verified, and not kept: the device is known by its id, such as `dvk_…`, from then on.",
  examples: ['dvc_8f14e45f'],
};
/** What names a device, and can be stored and compared. */
export const deviceName = text(1, 4096, deviceWords);
/** Whatever a browser sent: one that nobody can read is a signal, and no error. A fraudster must not be able to make a checkout fail, or go by unscreened. */
export const deviceToken = Type.String({
  ...deviceWords,
  description: `${deviceWords.description} One that cannot be read, is longer than 4,096 characters or has a NUL is the signal \`tampered_token\`; an empty one is none.`,
});

export const email = Type.Refine(
  text(3, 320, { description: "The user's e-mail address.", examples: ['ada@example.com'] }),
  (value) => /^[^\s@]+@[^\s@]+$/.test(value),
  () => 'must be an e-mail address such as ada@example.com',
);

export const Metadata = Type.Refine(
  mapOf(text(0, 500), {
    maxProperties: 50,
    description: 'Flat map of strings: up to 50 keys of up to 64 characters, values of up to 500.',
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
