import type { Random } from './crash-random.ts';

/** Numbers a card network could have given out. They may be sent where the contract says that they are masked. */
export const CARD_NUMBERS = [
  '4111111111111111',
  '5555555555554444',
  '378282246310005',
  '6011111111111117',
  '3530111333300000',
] as const;
export const cardNumberSpellings = (number: string): string[] => [
  number,
  number.replaceAll(/(\d{4})(?=\d)/g, '$1 '),
  number.replaceAll(/(\d{4})(?=\d)/g, '$1-'),
];

const SPELLINGS = CARD_NUMBERS.flatMap(cardNumberSpellings);
/** Bytes around one must stay as they are: with a digit more it is another number, which nobody promised to mask. */
export const holdsCardNumber = (text: string): boolean => SPELLINGS.some((spelling) => text.includes(spelling));

/** JSON text that stands where a value belongs; it need not be valid. */
class Token {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type Value = string | number | boolean | null | Token | Value[] | { [name: string]: Value };
type Members = { [name: string]: Value };

/** As JSON.stringify, but a token is written as it is. */
const write = (value: Value): string => {
  if (value instanceof Token) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, of]) => `${JSON.stringify(name)}:${write(of)}`);
  return `{${members.join(',')}}`;
};

const nested = (depth: number, open: string, close: string): Token =>
  new Token(open.repeat(depth) + close.repeat(depth));

const ODD_TOKENS = [
  ...['NaN', 'Infinity', '-Infinity', 'undefined', '0x1F', '01', '1.', '.5', '+1', "'x'", 'True', '{', ']', '"', ''],
  ...['-0', '0', '-1', '1e400', '-1e400', '1e-400', '5e-324', '1.7976931348623157e308', '1e15', '1.0000000000001e15'],
  ...['9007199254740993', '123456789012345678901234567890', '0.1', '1e0', '2.5', 'true', 'false', 'null', '[]', '{}'],
].map((text) => new Token(text));

const ODD_TEXTS = [
  ...[
    '',
    ' ',
    'x',
    '\0',
    'a\0b',
    '\ud800',
    'a\udc00b',
    '\ufeff',
    '\u202eevil',
    'مرحبا',
    '日本語',
    '💳',
    'e\u0301',
    '\u2028',
  ],
  ...[
    '__proto__',
    'constructor',
    'null',
    '1',
    '-1',
    'NaN',
    '1e400',
    "'; DROP TABLE screenings; --",
    '#{7*7}',
    '../../etc',
  ],
  ...['<script>alert(1)</script>', '%00', '%', '\\', '"', '\n\r\t\b', 'EUR', 'eur', 'XXX', 'DE', 'login', 'allow'],
  ...[
    '203.0.113.2',
    '203.0.113.3',
    '::ffff:203.0.113.3',
    '::1',
    '1.2.3',
    '0x7f.1',
    '999.1.1.1',
    'fe80::1%eth0',
    '1.1.1.1/8',
  ],
  ...[
    'https://127.0.0.1:9/hook',
    'http://127.0.0.1',
    'https://user@127.0.0.1/',
    'https://[::1]/',
    'https://0x7f000001/',
  ],
  ...['javascript:alert(1)', 'https://127.0.0.1:99999/', 'https://', '//127.0.0.1', 'https://10.0.0.1', 'a@b', 'a@b@c'],
];
const LENGTHS = [
  1, 2, 3, 63, 64, 65, 199, 200, 201, 255, 256, 499, 500, 501, 2048, 4096, 4097, 9999, 10_000, 10_001, 60_000,
];
const UNITS = ['a', '9', 'é', '💳', '\u0301', '\u202e', '"', '\\'];
const ODD_NAMES = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'toJSON', 'then', 'length'],
  ...['', ' ', '\0', '\ud800', '\u202e', 'userid', 'user_Id', 'ip_adress', 'amont', 'a.b', 'a/b', 'a~1b', '0', '💳'],
];

export const oddText = (random: Random): string =>
  random.chance(0.6) ? random.pick(ODD_TEXTS) : random.pick(UNITS).repeat(random.pick(LENGTHS));

const oddValue = (random: Random): Value => {
  switch (random.below(6)) {
    case 0:
      return random.pick(ODD_TOKENS);
    case 1:
    case 2:
      return oddText(random);
    case 3:
      return { [random.pick(ODD_NAMES)]: oddText(random) };
    case 4:
      return [random.pick(ODD_TOKENS), oddText(random)];
    default:
      return random.chance(0.5)
        ? nested(random.pick([2, 50, 1000, 10_000, 30_000]), '[', ']')
        : new Token(`${'{"a":'.repeat(random.pick([2, 50, 1000, 10_000]))}1`);
  }
};

const isMembers = (value: Value | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Token);

/** The body or one of the objects in it. */
const someObject = (random: Random, body: Members): Members => {
  const inner = Object.values(body).filter(isMembers);
  return inner.length > 0 && random.chance(0.4) ? random.pick(inner) : body;
};

const oddMetadata = (random: Random): Members => {
  const count = random.pick([0, 1, 49, 50, 51, 300]);
  const length = random.pick([1, 1, 63, 64, 65]);
  const unit = random.pick(['k', 'é', '💳']);
  const value = 'v'.repeat(random.pick([0, 1, 10, 500, 501]));
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}${unit.repeat(length)}`, value]));
};

const STRUCTURAL: readonly ((random: Random, body: Members) => void)[] = [
  (random, body) => {
    const object = someObject(random, body);
    const name = random.pick(Object.keys(object));
    if (name !== undefined) object[name] = oddValue(random);
  },
  (random, body) => {
    const object = someObject(random, body);
    // Not by assignment: that would set the prototype instead of a member.
    const value = oddValue(random);
    Object.defineProperty(object, random.pick(ODD_NAMES), {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  },
  (random, body) => {
    const object = someObject(random, body);
    const name = random.pick(Object.keys(object));
    if (name !== undefined) delete object[name];
  },
  (random, body) => {
    body[random.pick(['metadata', 'billing_address', 'shipping_address'])] = oddMetadata(random);
  },
  (random, body) => {
    body[random.pick(['metadata', 'billing_address', 'events', 'amount', 'user_id'])] = new Token(
      random.pick(['null', '[]', '{}', '""', '[[]]', '[{}]', '{"a":{}}', '{"a":null}', '{"a":["b"]}']),
    );
  },
];

const TEXTUAL: readonly ((random: Random, text: string) => string)[] = [
  (random, text) => {
    // The same key twice: the last one counts, as for every JSON parser.
    const name = /"(\w+)":/.exec(text.slice(random.below(text.length)))?.[1] ?? 'user_id';
    return text.replace(/\}$/, `,"${name}":${write(oddValue(random))}}`);
  },
  (random, text) =>
    random.pick([`[${text}]`, `{"a":${text}}`, `"${text}"`, `${text}${text}`, `${text},`, `\ufeff${text}`]),
  (random, text) => `${' '.repeat(random.below(200))}${text}\n\t`,
  (random, text) => {
    // To the byte at the limit, below it and above it.
    const size = 65_536 + random.pick([-1, 0, 0, 1, 2, 5000]);
    const room = size - Buffer.byteLength(text);
    return room < 0 ? text : random.chance(0.5) ? text + ' '.repeat(room) : padMember(text, room);
  },
  (random) =>
    random.pick(['', ' ', 'null', 'true', '0', '""', '[]', '{}', '{', '{"', 'NaN', '\0', '[1,2', '{"a":1,}', '//']),
];
const padMember = (text: string, room: number): string =>
  room < 10 ? text : text.replace(/\}$/, `,"pad":"${'x'.repeat(Math.max(0, room - 9))}"}`);

const BINARY: readonly ((random: Random, bytes: Buffer) => Buffer)[] = [
  (random, bytes) => {
    for (let left = random.between(1, 6); left > 0 && bytes.length > 0; left--) {
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
    }
    return bytes;
  },
  (random, bytes) => bytes.subarray(0, random.below(bytes.length + 1)),
  (random, bytes) => {
    const at = random.below(bytes.length + 1);
    const junk = Buffer.from(Array.from({ length: random.between(1, 9) }, () => random.below(256)));
    return Buffer.concat([bytes.subarray(0, at), junk, bytes.subarray(at)]);
  },
  (random, bytes) => {
    const from = random.below(bytes.length + 1);
    const to = random.between(from, bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
];

const INTACT_BELOW = 0.25;
const STRUCTURAL_BELOW = 0.65;
const TEXTUAL_BELOW = 0.85;

/** A body that is now and then right and mostly wrong in one or a few ways. */
export const fuzzBody = (random: Random, valid: Readonly<Record<string, unknown>>): Buffer => {
  const body = structuredClone(valid) as Members;
  const kind = random.unit() * (holdsCardNumber(write(body)) ? TEXTUAL_BELOW : 1);
  if (kind < INTACT_BELOW) return Buffer.from(write(body));
  if (kind < STRUCTURAL_BELOW) {
    for (let left = random.between(1, 4); left > 0; left--) random.pick(STRUCTURAL)(random, body);
    return Buffer.from(write(body));
  }
  if (kind < TEXTUAL_BELOW) return Buffer.from(random.pick(TEXTUAL)(random, write(body)));
  return random.pick(BINARY)(random, Buffer.from(write(body)));
};
