import Type from 'typebox';

/**
 * Format of the device SDK's token: `pcd1.<payload>.<signature>`, both in base64url without padding. The payload is JSON in
 * UTF-8 with the fields below. The signature is 64 bytes of ECDSA with P-256 and SHA-256 over everything before its dot. It is
 * empty if the browser has no key.
 */
export const DEVICE_TOKEN_PREFIX = 'pcd1.';
/** Whether a text claims to be a token, of any version. Any other text is the caller's name of a device. */
export const isDeviceToken = (text: string): boolean => /^pcd\d{1,3}\./.test(text);
/** Prefix of the id of a device with a verified key, as used in profiles, lists and rules. */
export const DEVICE_ID_PREFIX = 'dvk_';

const names = (maxItems: number, maxLength: number) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems }));
/** Component values. They are short to keep the token small; the page hashes long ones. */
const Tier = Type.Record(
  Type.String({ minLength: 1, maxLength: 40 }),
  Type.Union([Type.String({ maxLength: 256 }), Type.Number(), Type.Boolean(), Type.Null()]),
  { maxProperties: 64 },
);

export const DeviceTokenPayload = Type.Object({
  v: Type.Literal(1),
  /** 16 random bytes, unique to the token. */
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' }),
  /** Creation time by the browser's clock, in epoch milliseconds. */
  at: Type.Integer({ minimum: 0, maximum: 8.64e15 }),
  /** Public key: an uncompressed P-256 point of 65 bytes. Absent if the browser cannot sign. */
  key: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{87}$' })),
  /** Whether the browser stores the key beyond this page. */
  kept: Type.Optional(Type.Boolean()),
  automation: names(16, 32),
  /** IANA time zone name. */
  zone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  languages: names(16, 35),
  /** Width, height, colour depth and device pixel ratio. */
  screen: Type.Optional(Type.Array(Type.Number(), { maxItems: 8 })),
  /** Components of the hardware, and of the software installation. None depends on the window, the language or the visit. */
  hard: Tier,
  soft: Tier,
  /** Components that could not be read in time. Without them the device profile differs. */
  missing: names(64, 40),
});
export type DeviceTokenPayload = Type.Static<typeof DeviceTokenPayload>;
