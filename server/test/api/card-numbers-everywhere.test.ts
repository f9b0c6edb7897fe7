import { exampleOf, type OperationId } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { bodyOf, type Ids, OPERATIONS, pathOf, queryTextOf } from '../fixtures/every-operation.ts';
import { client, type Json, payment, REVIEW_IP, type Reply, startService } from '../fixtures/harness.ts';
import { storedBytes } from '../fixtures/records.ts';
import { isShared } from '../fixtures/shared-store.ts';
import { type Place, putAt, stringPlaces } from '../fixtures/string-places.ts';

/** Every number begins with these digits. The seventh is the first that is hidden. */
const BEGINNING = '4987654';
let count = 0;
const nextNumber = (): string => {
  const digits = BEGINNING + String(count++).padStart(8, '0');
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return digits + ((10 - (sum % 10)) % 10);
};

const inFours = (digits: string, separator: string): string => (digits.match(/.{1,4}/g) ?? []).join(separator);
const inScript = (digits: string, zero: number): string =>
  [...digits].map((digit) => String.fromCodePoint(zero + Number(digit))).join('');
const SPELLINGS: Readonly<Record<string, (digits: string) => string>> = {
  plain: (digits) => digits,
  spaces: (digits) => inFours(digits, ' '),
  dashes: (digits) => inFours(digits, '-'),
  'en dashes': (digits) => inFours(digits, '\u2013'),
  dots: (digits) => inFours(digits, '.'),
  slashes: (digits) => inFours(digits, '/'),
  commas: (digits) => inFours(digits, ','),
  'single digits': (digits) => [...digits].join('\u00a0'),
  'invisible characters': (digits) => [...digits].join('\u200b'),
  'full width': (digits) => inScript(digits, 0xff10),
  'Arabic digits, mixed separators': (digits) => inScript(digits, 0x660).replace(/^(.{4})(.{4})/, '$1 $2-'),
};
/** Fields with a format of their own accept a number only inside such a text. */
const WRAPPINGS: readonly ((number: string) => string)[] = [
  (number) => `x${number}y`,
  (number) => `${number}@example.com`,
  (number) => `https://receiver.invalid/${number}`,
  (number) => `email == "${number}"`,
  (number) => `user:${number}`,
];
/**
 * Headers and paths are read in one place for all operations, so fewer spellings suffice there. Texts are masked before
 * they reach a store, so one store suffices for all spellings.
 */
const textsFor = (place: Place): string[] => {
  if (place.in === 'header') return [nextNumber()];
  const spellings = (isShared ? [SPELLINGS.plain, SPELLINGS['full width']] : Object.values(SPELLINGS)).map((spell) =>
    (spell as (digits: string) => string)(nextNumber()),
  );
  return place.in === 'path' ? spellings : [...spellings, ...WRAPPINGS.map((wrap) => wrap(nextNumber()))];
};

/** The hidden part of a number begins with one of these, in the stored bytes, the log and the responses. */
const TRACES = Object.values(SPELLINGS).map((spell) => spell(BEGINNING));
const tracesIn = (bytes: Buffer | string): string[] =>
  Object.keys(SPELLINGS).filter((_, at) => bytes.includes(TRACES[at] as string));

const service = await startService({ logLevel: 'trace' });
const key = await service.key();
const { pay, post, put } = client(service, key);
await post('/v1/webhooks', {
  url: 'https://receiver.invalid/hook',
  events: ['transaction.screened', 'event.screened', 'case.created', 'case.resolved', 'decision.reviewed'],
});

/** Resources that exist. A case can be resolved once, so each request gets a new one. Only a resolved one is reopened. */
const freshIds = async (id: OperationId): Promise<Ids> => {
  const { json } = await pay(payment({ ip_address: REVIEW_IP }));
  if (id === 'reopenCase') await put(`/v1/cases/${json.case_id}`, { status: 'approved' });
  return { ...ids, transaction_id: json.transaction_id, decision_id: json.decision_id, case_id: json.case_id };
};
const ids: Record<string, string> = { user_id: 'user_1842', list_id: 'cards', model_version: 'mdl_base' };
await post('/v1/lists', { name: 'cards' });
ids.webhook_id = (await post('/v1/webhooks', bodyOf('createWebhook'))).json.webhook_id;
ids.rule_id = (await post('/v1/rules', bodyOf('createRule'))).json.rule_id;
ids.person_id = (await post('/v1/people', bodyOf('addPerson'))).json.person_id;
ids.view_id = (await post('/v1/views', bodyOf('createView'))).json.view_id;
ids.key_id = (await post('/v1/api-keys', { role: 'reader' })).json.key_id;

const NEEDS_FRESH: readonly OperationId[] = [
  'reviewDecision',
  'resolveCase',
  'addLabel',
  'assignCase',
  'takeNextCase',
  'reopenCase',
  'setCaseTags',
  'snoozeCase',
  'setCasePresence',
  'addCaseNote',
];
/** They start work of minutes. The only free text of a backtest is an expression, as in a rule. */
const LEFT_OUT: readonly OperationId[] = ['trainModel', 'createBacktest'];

const send = async (id: OperationId, place: Place, text: string): Promise<Reply> => {
  const operation = OPERATIONS.find(([name]) => name === id)?.[1] as (typeof OPERATIONS)[number][1];
  const known = NEEDS_FRESH.includes(id) ? await freshIds(id) : ids;
  const example = operation.body === undefined ? undefined : (exampleOf(operation.body as never) as object);
  const base = { ...example, ...bodyOf(id), ...(id === 'addLabel' ? { transaction_id: known.transaction_id } : {}) };
  // An imported item is a transaction or an event, never both.
  if (id === 'createImport' && place.steps[2] === 'transaction') {
    const [item] = (base as Json).items;
    Object.assign(base, { items: [{ id: item.id, occurred_at: item.occurred_at, transaction: payment() }] });
  }
  const query = new URLSearchParams(queryTextOf(id));
  if (place.in === 'query') query.set(String(place.steps[0]), text);
  const path = pathOf(operation, place.in === 'path' ? { ...known, [String(place.steps[0])]: text } : known);
  const body = place.in === 'body' ? putAt(base, place, text) : base;
  return service.call(operation.method, query.size === 0 ? path : `${path}?${query}`, {
    key,
    ...(operation.body === undefined ? {} : { body }),
    ...(place.in === 'header' ? { headers: { [String(place.steps[0])]: text } } : {}),
  });
};

/** Deletions last: the other operations need what they delete. */
const CASES = OPERATIONS.filter(([id]) => !LEFT_OUT.includes(id))
  .sort(([, a], [, b]) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
  .flatMap(([id, operation]) =>
    stringPlaces(operation).map((place) => ({ id, place, name: `${id}: ${place.in} ${place.steps.join('.')}` })),
  );

test('the walk finds the fields that are known to hold text', () => {
  const names = CASES.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'screenTransaction: body metadata.key',
      'screenTransaction: body metadata.some_key',
      'screenTransaction: body counterparty_id',
      'screenTransaction: body billing_address.line1',
      'screenTransaction: header Idempotency-Key',
      'resolveCase: body analyst_id',
      'resolveCase: body notes',
      'addListEntries: body entries.0.value',
      'addListEntries: body entries.0.author',
      'createApiKey: body label',
      'listListEntries: query value',
      'getRiskProfile: path user_id',
    ]),
  );
});

const isMasked = ({ status, text }: Reply): boolean =>
  status < 300 && text.includes('was masked; never send card numbers');

test('no card number of any string of any operation is stored, logged or returned', async () => {
  const unmasked: string[] = [];
  const returned: string[] = [];
  for (const { id, place, name } of CASES) {
    const replies = await Promise.all(textsFor(place).map((text) => send(id, place, text)));
    for (const { status, text } of replies) {
      expect(status, `${name} ${text}`).toBeLessThan(500);
      // The service returns the id that the caller gave to the request.
      const isEcho = place.steps[0] === 'X-Request-Id';
      if (!isEcho && tracesIn(text).length > 0) returned.push(`${name} ${text}`);
    }
    // A file has no warnings. The file of a person is JSON, and there is none of the unknown person here.
    const isFile = id === 'createExport' || replies.some(({ status, json }) => status === 200 && json === undefined);
    if (place.rule !== 'exact' && !isFile && !replies.some(isMasked)) unmasked.push(name);
  }
  expect(returned).toEqual([]);
  // A token that is too long is not searched for card numbers.
  const long = await pay(payment({ device_token: `${nextNumber()} `.repeat(1000) }));
  expect([long.status, long.json.signals]).toEqual([200, expect.arrayContaining(['tampered_token'])]);
  expect(tracesIn(long.text)).toEqual([]);
  // Every field that masks was reached by at least one accepted request.
  expect(unmasked).toEqual([]);
  const log = service.logs.join('\n');
  expect(tracesIn(log)).toEqual([]);
  expect(log).toContain('498765******');
  const bytes = await storedBytes(service.dataDir);
  expect(bytes.includes('498765******')).toBe(true);
  expect(tracesIn(bytes)).toEqual([]);
  await service.stop();
  expect(tracesIn(await storedBytes(service.dataDir))).toEqual([]);
}, 120_000);
