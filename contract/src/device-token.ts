import Type from 'typebox';

/**
 * The token the device SDK makes: `pcd1.<payload>.<signature>`, both base64url without padding. The payload is what is described here, as JSON in
 * UTF-8; the signature is ECDSA with P-256 and SHA-256 over everything before its dot, as 64 bytes, and empty where there is no key.
 */
export const DEVICE_TOKEN_PREFIX = 'pcd1.';
/** How a device is named whose key was proved: in profiles, on lists and in rules. */
export const DEVICE_ID_PREFIX = 'dvk_';

/** What may say that a program steers the browser, and how it is said of one. Order is stored: append only. */
export const AUTOMATION_HINTS = {
  other: 'something else',
  webdriver: 'it says so itself',
  webdriver_hidden: 'somebody hid that it says so',
  headless: 'it has no window',
  driver: 'traces of a driver in the page',
} as const;
export type AutomationHint = keyof typeof AUTOMATION_HINTS;

const names = (maxItems: number, maxLength: number) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems }));
/** Values of components: short, so that a token stays small. Long ones are digested in the page. */
const Tier = Type.Record(
  Type.String({ minLength: 1, maxLength: 40 }),
  Type.Union([Type.String({ maxLength: 256 }), Type.Number(), Type.Boolean(), Type.Null()]),
  { maxProperties: 64 },
);

export const DeviceTokenPayload = Type.Object({
  v: Type.Literal(1),
  /** 16 random bytes: no two tokens have the same. */
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' }),
  /** When it was made, by the browser's clock, in milliseconds since 1970. */
  at: Type.Integer({ minimum: 0, maximum: 8.64e15 }),
  /** The public key: an uncompressed point of P-256, 65 bytes. Absent where the browser cannot sign. */
  key: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{87}$' })),
  /** Whether the browser keeps the key beyond the page. */
  kept: Type.Optional(Type.Boolean()),
  automation: names(16, 32),
  /** IANA's name of the time zone. */
  zone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  languages: names(16, 35),
  /** Width, height, depth of colour, pixels to a point. */
  screen: Type.Optional(Type.Array(Type.Number(), { maxItems: 8 })),
  /** What belongs to the machine, and what to the installation. Nothing in them changes with a window, a language or a visit. */
  hard: Tier,
  soft: Tier,
  /** Components of both that could not be had in time: without them the device does not look like itself. */
  missing: names(64, 40),
});
export type DeviceTokenPayload = Type.Static<typeof DeviceTokenPayload>;
