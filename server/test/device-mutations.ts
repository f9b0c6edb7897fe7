import { randomBytes } from 'node:crypto';
import { type TestDevice, tokenOf } from './device-tokens.ts';

type Random = () => number;

const encode = (bytes: Buffer): string => bytes.toString('base64url');
const flip = (bytes: Buffer, at: number, bit: number): Buffer => {
  const flipped = Buffer.from(bytes);
  flipped[at] = (flipped[at] as number) ^ (1 << bit);
  return flipped;
};

/** Ways to spoil a token, or to make one up. Each gives a string of 1 to 4,096 characters. */
const WAYS: readonly ((token: string, random: Random, device: TestDevice) => string)[] = [
  (token, random) => token.slice(0, 1 + Math.floor(random() * token.length)),
  (token, random) => {
    const at = Math.floor(random() * token.length);
    return token.slice(0, at) + token.slice(at + 1);
  },
  (token, random) => {
    const at = Math.floor(random() * token.length);
    const unit = token.charCodeAt(at) ^ (1 << Math.floor(random() * 7));
    return token.slice(0, at) + (unit === 0 ? 'A' : String.fromCharCode(unit)) + token.slice(at + 1);
  },
  (token, random) => {
    const [start = '', middle = '', end = ''] = token.split('.');
    const bytes = Buffer.from(middle, 'base64url');
    const spoilt = flip(bytes, Math.floor(random() * bytes.length), Math.floor(random() * 8));
    return [start, encode(spoilt), end].join('.');
  },
  (token, random) => {
    const [start = '', middle = '', end = ''] = token.split('.');
    const bytes = Buffer.from(end, 'base64url');
    const spoilt = flip(bytes, Math.floor(random() * bytes.length), Math.floor(random() * 8));
    return [start, middle, encode(spoilt)].join('.');
  },
  (token) => token.split('.').toReversed().join('.'),
  (token) => {
    const [start, middle, end] = token.split('.');
    return [start, end, middle].join('.');
  },
  (token, _, device) => [...token.split('.').slice(0, 2), device.token().split('.')[2]].join('.'),
  (token, random) => (token + token.repeat(4)).slice(0, 1 + Math.floor(random() * 4096)),
  (_, random) => `pcd1.${encode(randomBytes(1 + Math.floor(random() * 1000)))}.${encode(randomBytes(64))}`,
  (_, random) => `pcd1.${'😀ü\u202e'.repeat(1 + Math.floor(random() * 200))}`,
  (_, random, device) => tokenOf('['.repeat(1 + Math.floor(random() * 2900)), device.privateKey),
  (_, random) => tokenOf(`{"a":`.repeat(1 + Math.floor(random() * 550))),
  (_, __, device) => {
    const text = JSON.stringify(device.payload());
    return tokenOf(`${text.slice(0, -1)},"v":2,"__proto__":{"v":1}}`, device.privateKey);
  },
  (_, random, device) =>
    tokenOf({ ...device.payload(), key: encode(randomBytes(Math.floor(random() * 130))) }, device.privateKey),
  (_, __, device) => {
    const key = Buffer.concat([Buffer.from([4]), randomBytes(64)]);
    return tokenOf({ ...device.payload(), key: encode(key) }, device.privateKey);
  },
  (_, random, device) => {
    const payload: Record<string, unknown> = { ...device.payload() };
    const names = Object.keys(payload);
    const odd: unknown[] = [
      null,
      -1,
      1e308,
      '',
      'x'.repeat(300),
      [],
      {},
      [[[]]],
      true,
      '\ud800',
      { __proto__: null, toString: 1 },
    ];
    payload[names[Math.floor(random() * names.length)] as string] = odd[Math.floor(random() * odd.length)];
    return tokenOf(payload, device.privateKey).slice(0, 4096);
  },
  (_, __, device) => device.id,
  (token) => token.toUpperCase(),
  (_, __, device) => device.token(),
];

/** Makes them, one way after another, of a few tokens: to sign each anew would take longer than what is tested. */
export const makeMutations = (device: TestDevice, random: Random) => {
  const tokens = Array.from({ length: 20 }, () => device.token());
  let i = 0;
  return (): string => {
    const token = tokens[Math.floor(random() * tokens.length)] as string;
    return (WAYS[i++ % WAYS.length] as (typeof WAYS)[number])(token, random, device);
  };
};
