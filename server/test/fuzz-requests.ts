import { EVENT_TYPES, type OperationId, operations, PAYMENT_METHODS } from '@portcullis/contract';
import { PRODUCTION_KEY, SANDBOX_KEY } from './crash-process.ts';
import type { Random } from './crash-random.ts';
import { CARD_NUMBERS, cardNumberSpellings, fuzzBody, holdsCardNumber, oddText } from './fuzz-bodies.ts';
import { BLOCK_IP, REVIEW_IP, unknownId } from './harness.ts';

/** Ids that answers gave out, by the name the path calls them. */
export type KnownIds = Readonly<Record<string, string[]>>;
export const newKnownIds = (): KnownIds => ({
  transaction_id: [],
  event_id: [],
  decision_id: [],
  case_id: [],
  webhook_id: [],
  key_id: [],
});

export interface Request {
  readonly operation: OperationId;
  readonly method: string;
  readonly bytes: Buffer;
  /** Its start line and headers may say something else than they mean: it is sent on a connection of its own. */
  readonly malformed: boolean;
}

/** A card number as a caller may send one by mistake, among other text or alone. */
const cardNumber = (random: Random): string => {
  const spelling = random.pick(cardNumberSpellings(random.pick(CARD_NUMBERS)));
  return random.pick([spelling, `card ${spelling}`, `${spelling}, 12/29`, `(${spelling})`]);
};
const mayHold = (random: Random, text: string): string => (random.chance(0.2) ? cardNumber(random) : text);

const address = (random: Random) => ({
  line1: '1 Main Street',
  city: 'Berlin',
  postal_code: '10115',
  country: random.pick(['DE', 'de', 'FR']),
});

const BODIES: Partial<Record<OperationId, (random: Random) => Record<string, unknown>>> = {
  screenTransaction: (random) => ({
    user_id: `user_${random.below(200)}`,
    amount: random.between(1, 100_000) / 100,
    currency: random.pick(['EUR', 'usd', 'JPY']),
    ip_address: random.pick(['198.51.100.24', '2001:db8::7', REVIEW_IP, BLOCK_IP]),
    device_token: `device_${random.below(100)}`,
    payment_method: random.pick(PAYMENT_METHODS),
    payment_fingerprint: mayHold(random, `pm_${random.below(100)}`),
    counterparty_id: `shop_${random.below(20)}`,
    email: `user${random.below(200)}@example.com`,
    billing_address: address(random),
    shipping_address: address(random),
    metadata: { order_id: `A-${random.below(1e6)}`, note: mayHold(random, 'gift') },
  }),
  screenEvent: (random) => ({
    user_id: `user_${random.below(200)}`,
    type: random.pick(EVENT_TYPES),
    outcome: random.pick(['succeeded', 'failed']),
    ip_address: random.pick(['198.51.100.24', REVIEW_IP, BLOCK_IP]),
    device_token: `device_${random.below(100)}`,
    email: `user${random.below(200)}@example.com`,
    metadata: { session: mayHold(random, 's1') },
  }),
  reviewDecision: (random) => ({
    decision: random.pick(['allow', 'block']),
    analyst_id: 'analyst_7',
    notes: mayHold(random, 'Called the customer.'),
  }),
  resolveCase: (random) => ({
    status: random.pick(['approved', 'rejected']),
    analyst_id: 'analyst_7',
    notes: mayHold(random, 'Called the customer.'),
  }),
  createWebhook: () => ({ url: 'https://127.0.0.1:9/hook', events: ['case.created', 'case.resolved'], label: 'Cases' }),
  createApiKey: (random) => ({
    role: random.pick(['admin', 'service', 'analyst', 'reader']),
    label: 'Checkout',
    rate_limit_per_minute: 600,
  }),
};

/** Nothing is ever screened with the production key, so its webhooks are many and owed nothing. */
const IN_PRODUCTION: readonly OperationId[] = [
  'createWebhook',
  'listWebhooks',
  'deleteWebhook',
  'createApiKey',
  'deleteApiKey',
  'listLists',
];

const OPERATIONS: readonly OperationId[] = [
  ...Array<OperationId>(10).fill('screenTransaction'),
  ...Array<OperationId>(6).fill('screenEvent'),
  ...Array<OperationId>(4).fill('reviewDecision'),
  ...Array<OperationId>(4).fill('resolveCase'),
  ...Array<OperationId>(2).fill('createWebhook'),
  ...(Object.keys(operations) as OperationId[]).filter((id) => id !== 'listApiKeys'),
];

const ODD_IDS = [
  ...[
    '%00',
    '%',
    '%zz',
    '%c3%28',
    '%ed%a0%80',
    '%F0%9F%92%B3',
    '..',
    '%2e%2e',
    '%2F',
    'a%2Fb',
    '*',
    ':id',
    '',
    ' ',
    '%20',
  ],
  ...[
    'txn_',
    'txn_01',
    'TXN_01m7ejnjyqetkazatznps5mye3',
    'txn_01m7ejnjyqetkazatznps5mye3x',
    "' OR 1=1 --",
    '__proto__',
  ],
  ...[
    'x'.repeat(255),
    'x'.repeat(4096),
    'x'.repeat(4097),
    'x'.repeat(9000),
    '%41'.repeat(2000),
    '\u00e9',
    'constructor',
  ],
  ...['txn', 'evt', 'dec', 'case', 'wh', 'key', 'msg', 'req'].map(unknownId),
];
// A space or a bare line end in a path is not HTTP; those are the business of the malformed ones.
const asPath = (text: string): string => text.replaceAll(' ', '%20').replaceAll(/[^\x21-\xff]/g, encodeURIComponent);

const fuzzPath = (random: Random, operation: OperationId, known: KnownIds): string => {
  const path = operations[operation].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (random.chance(0.2)) return asPath(random.pick(ODD_IDS));
    if (name === 'user_id') return `user_${random.below(300)}`;
    const others = random.chance(0.1) ? Object.values(known).flat() : known[name];
    return others === undefined || others.length === 0 ? unknownId('txn') : random.pick(others);
  });
  if (random.chance(0.97)) return path;
  return random
    .pick([
      `${path}/`,
      `/${path}`,
      path.slice(1).replace('/', '//'),
      path.toUpperCase(),
      path.replace('v1', 'v2'),
      path.replace('v1', '%76%31'),
      `http://127.0.0.1${path}`,
      `${path}#top`,
      `${path};a=b`,
      '*',
      '/',
      path.slice(0, random.between(1, path.length)),
      path + '/x'.repeat(random.below(500)),
    ])
    .replace(/^(?![/*h])/, '/');
};

const QUERY_NAMES = [
  'status',
  'limit',
  'offset',
  'start_date',
  'end_date',
  'Limit',
  'page',
  '__proto__',
  'limit[]',
  '',
];
const QUERY_VALUES = [
  ...[
    'open',
    'approved',
    'expired',
    'closed',
    '0',
    '1',
    '20',
    '100',
    '101',
    '-1',
    '1.5',
    '1e2',
    '0x10',
    '٣',
    '+5',
    '007',
  ],
  ...[
    '9007199254740991',
    '9007199254740992',
    '99999999999999999999',
    'NaN',
    'null',
    '',
    '%00',
    '%',
    '%ff',
    '%F0%9F%92%B3',
  ],
  ...[
    '2026-11-14',
    '2026-11-14T09:30:00Z',
    '2026-11-14T09:30:00+25:00',
    '2026-02-30',
    '0000-01-01',
    '9999-12-31T23:59:59Z',
  ],
  ...['+275760-09-13', 'yesterday', '1763112600', '2026-11-14T09%3A30%3A00%2B01:00', "' OR 1=1 --", 'x'.repeat(3000)],
];
const fuzzQuery = (random: Random, operation: OperationId): string => {
  if (!random.chance(operation === 'listCases' ? 0.9 : 0.04)) return '';
  const pairs = Array.from({ length: random.between(1, 5) }, () =>
    random.chance(0.05) ? '&&==' : `${random.pick(QUERY_NAMES)}=${asPath(random.pick(QUERY_VALUES))}`,
  );
  return `?${pairs.join('&')}`;
};

/** A header's value must be Latin-1 without control characters to be HTTP at all. */
const asHeader = (text: string): string => text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?').slice(0, 8000);

const fuzzHeaders = (random: Random, key: string, index: number): Map<string, string> => {
  const headers = new Map([
    ['Host', '127.0.0.1'],
    ['Authorization', `Bearer ${key}`],
    ['Content-Type', 'application/json'],
  ]);
  if (random.chance(0.15)) {
    headers.set('Idempotency-Key', random.chance(0.8) ? `key-${index % 40}` : asHeader(oddText(random)));
  }
  if (random.chance(0.1)) {
    const cards = CARD_NUMBERS.flatMap(cardNumberSpellings);
    headers.set('X-Request-Id', asHeader(random.chance(0.5) ? random.pick(cards) : oddText(random)));
  }
  if (random.chance(0.05))
    headers.set('X-Api-Version', random.pick(['2026-11-01', '2026-11-02', 'v1', '', '1,2', 'é']));
  if (random.chance(0.03)) {
    headers.set(
      'Content-Type',
      random.pick([
        ...['', 'text/plain', 'application/json; charset=latin1', 'application/json;charset=UTF-8', 'APPLICATION/JSON'],
        ...['application/jsonp', 'application/json, text/plain', 'multipart/form-data; boundary=x', 'json', ';', '/'],
        ...['application/x-www-form-urlencoded', 'application/json; charset="utf-8"', 'application/problem+json'],
      ]),
    );
  }
  if (random.chance(0.03)) {
    headers.set(
      'Authorization',
      random.pick([
        ...['', 'Bearer', 'Bearer ', 'Basic YTpi', `bearer ${key}`, `Bearer  ${key}`, `Bearer ${key}x`, key],
        ...[`Bearer ${key} ${key}`, 'Bearer sk_test_', `Bearer ${'x'.repeat(7000)}`, 'Bearer é', 'Bearer __proto__'],
      ]),
    );
  }
  if (random.chance(0.02)) headers.delete(random.pick(['Authorization', 'Content-Type', 'Host']));
  if (random.chance(0.02)) headers.set('Content-Encoding', random.pick(['gzip', 'identity', 'br']));
  if (random.chance(0.02)) headers.set('Expect', random.pick(['100-continue', 'something else']));
  if (random.chance(0.02)) headers.set('Accept', random.pick(['text/html', '*/*', 'application/xml', '']));
  if (random.chance(0.01)) headers.set('Connection', random.pick(['close', 'keep-alive', 'Upgrade']));
  if (random.chance(0.01)) headers.set('Upgrade', random.pick(['websocket', 'h2c']));
  if (random.chance(0.02)) headers.set(`X-${random.below(9)}`, asHeader(oddText(random)));
  if (random.chance(0.01)) headers.set('Cookie', random.chance(0.5) ? asHeader(oddText(random)) : 'a=b;'.repeat(5000));
  return headers;
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE'];

/** Cut into chunks, as a caller does who does not know the length. */
const chunked = (random: Random, body: Buffer): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const part = body.subarray(at, at + random.between(1, 20_000));
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
    at += part.length;
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
};

const breakHead = (random: Random, head: Buffer): Buffer => {
  const at = random.below(head.length);
  if (random.chance(0.6)) {
    head[at] = (head[at] as number) ^ (1 << random.below(8));
    return head;
  }
  const junk = random.pick([
    '\0',
    '\r',
    '\n',
    '\r\n\r\n',
    ' ',
    ':',
    '\xff',
    'Content-Length: 5\r\n',
    'Transfer-Encoding: x\r\n',
  ]);
  return Buffer.concat([head.subarray(0, at), Buffer.from(junk, 'latin1'), head.subarray(at)]);
};

/** The next request of a caller; `index` counts its requests. */
export const fuzzRequest = (random: Random, index: number, known: KnownIds): Request => {
  const operation = random.pick(OPERATIONS);
  const key = IN_PRODUCTION.includes(operation) ? PRODUCTION_KEY : SANDBOX_KEY;
  const method = random.chance(0.97) ? operations[operation].method : random.pick(METHODS);
  const path = fuzzPath(random, operation, known) + fuzzQuery(random, operation);
  const headers = fuzzHeaders(random, key, index);
  const valid = BODIES[operation]?.(random) ?? (random.chance(0.05) ? { surprising: true } : undefined);
  let body = valid === undefined ? Buffer.alloc(0) : fuzzBody(random, valid);
  if (valid === undefined) headers.delete('Content-Type');
  else if (random.chance(0.05)) {
    headers.set('Transfer-Encoding', 'chunked');
    body = chunked(random, body);
  } else headers.set('Content-Length', String(body.length));
  const lines = [`${method} ${path} HTTP/1.1`, ...[...headers].map(([name, value]) => `${name}: ${value}`)];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  const malformed = random.chance(0.02) && !holdsCardNumber(head.toString('latin1'));
  return { operation, method, malformed, bytes: Buffer.concat([malformed ? breakHead(random, head) : head, body]) };
};
