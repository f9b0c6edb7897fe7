import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DEVICE_STATES, knowledgeIndex } from '@portcullis/engine';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { makeDevice } from '../../test/fixtures/device-tokens.ts';
import { csvRecords, fieldsOf } from './csv.ts';
import { FileError } from './file-error.ts';
import type { Item } from './item-reader.ts';
import { readItemBlocks, readItems } from './read-items.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-items-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const read = async (text: string, ending = 'csv') => {
  const path = join(folder, `${files++}.${ending}`);
  writeFileSync(path, ending.endsWith('.gz') ? gzipSync(text) : text);
  const items: Item[] = [];
  const warnings: string[] = [];
  for await (const item of readItems(path, { warn: (warning) => warnings.push(warning) })) items.push(item);
  return { items, warnings };
};
const faultOf = async (text: string, ending?: string): Promise<string> => {
  const error = await read(text, ending).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(FileError);
  return (error as Error).message.replace(/^.*?\.(csv|ndjson)(\.gz)?[, ]+/, '');
};

const HEAD = 'occurred_at,user_id,amount,currency,billing_address.country,metadata.category,label';
const CSV = `${HEAD}
2026-11-01T10:00:00Z,ada,12.5,eur,de,"toys, games",legitimate
2026-11-01T10:00:01Z,bob,1e3,USD,,,fraud

2026-11-01T10:00:01Z,"c ""x"" d",7,USD,,"two
lines",
`;

describe('a history file', () => {
  test.each(['csv', 'csv.gz'])(
    'of type %s is read like API requests, with nested fields and quoted text',
    async (ending) => {
      const { items, warnings } = await read(CSV, ending);
      expect(warnings).toEqual([]);
      expect(
        items.map(({ row, label, subject }) => [row, label, subject.at - Date.UTC(2026, 10, 1, 10), subject.request]),
      ).toEqual([
        [
          0,
          0,
          0,
          {
            user_id: 'ada',
            amount: 12.5,
            currency: 'EUR',
            billing_address: { country: 'DE' },
            metadata: { category: 'toys, games' },
          },
        ],
        [1, 1, 1000, { user_id: 'bob', amount: 1000, currency: 'USD' }],
        [2, undefined, 1000, { user_id: 'c "x" d', amount: 7, currency: 'USD', metadata: { category: 'two\nlines' } }],
      ]);
    },
  );

  test('of NDJSON has transactions and events', async () => {
    const lines = [
      { kind: 'event', occurred_at: '2026-11-01T10:00:00Z', user_id: 'ada', type: 'login', outcome: 'failed' },
      { occurred_at: '2026-11-01T12:00:00+01:00', user_id: 'ada', amount: 5, currency: 'USD', label: null },
    ];
    const { items } = await read(lines.map((line) => JSON.stringify(line)).join('\r\n'), 'ndjson');
    expect(items.map(({ subject, label }) => [subject.type, subject.at, label])).toEqual([
      ['event', Date.UTC(2026, 10, 1, 10), undefined],
      ['transaction', Date.UTC(2026, 10, 1, 11), undefined],
    ]);
  });

  test('can give the reason of a fraud', async () => {
    const head = 'occurred_at,user_id,amount,currency,label,label_reason';
    const { items, warnings } = await read(
      `${head}\n2026-11-01,a,2,USD,fraud,takeover\n2026-11-01,a,2,USD,fraud,\n2026-11-01,a,2,USD,legitimate,\n`,
    );
    expect(items.map(({ labelReason }) => labelReason)).toEqual(['takeover', undefined, undefined]);
    expect(warnings).toEqual([]);
  });

  test('can have device SDK tokens, their device ids, and plain device names', async () => {
    const device = makeDevice();
    const tokens = [device.token({ at: Date.UTC(2026, 10, 1, 9) }), device.id, 'phone', 'pcd1.x.y'];
    const lines = tokens.map((device_token) =>
      JSON.stringify({
        kind: 'event',
        occurred_at: '2026-11-01T10:00:00Z',
        user_id: 'ada',
        type: 'login',
        device_token,
      }),
    );
    const devices: unknown[] = [];
    const path = join(folder, 'tokens.ndjson');
    writeFileSync(path, lines.join('\n'));
    for await (const { subject } of readItems(path, { warn: () => {} }))
      devices.push([
        subject.request.device_token,
        subject.knowledge[knowledgeIndex.device_state],
        subject.knowledge[knowledgeIndex.device_token_age_ms],
      ]);
    expect(devices).toEqual([
      [device.id, DEVICE_STATES.verified, 3_600_000],
      [device.id, Number.NaN, Number.NaN],
      ['phone', Number.NaN, Number.NaN],
      [undefined, DEVICE_STATES.tampered, Number.NaN],
    ]);
  });

  test('can begin with a byte order mark, and can use null for absent fields', async () => {
    const item = { kind: null, occurred_at: '2026-11-01', user_id: 'a', amount: 2, currency: 'USD', label: null };
    const lines = await read(`\uFEFF${JSON.stringify(item)}\n`, 'ndjson');
    const csv = await read('\uFEFFoccurred_at,user_id,amount,currency\n2026-11-01,a,2,USD\n');
    for (const { items } of [lines, csv]) expect(items.map(({ subject }) => subject.type)).toEqual(['transaction']);
  });

  test('with an unknown field is read without it, with one warning', async () => {
    const { items, warnings } = await read(
      'occurred_at,user_id,amout,amount,currency\n2026-11-01,a,1,2,USD\n2026-11-02,b,1,2,USD\n',
    );
    expect(items).toHaveLength(2);
    expect(warnings).toEqual(['line 2: unknown member `amout` was ignored; did you mean `amount`?']);
  });

  test('with a column named like an Object property is read safely', async () => {
    const { items } = await read('occurred_at,user_id,amount,currency,__proto__.polluted\n2026-11-01,a,2,USD,yes\n');
    expect(items).toHaveLength(1);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each([
    [
      'a reason of an item that is no fraud',
      'occurred_at,user_id,amount,currency,label,label_reason\n2026-11-01,a,2,USD,legitimate,mule\n',
      'line 2, column 6: `label_reason` must be empty unless the `label` is fraud',
    ],
    [
      'a reason of an item without a label',
      'occurred_at,user_id,amount,currency,label_reason\n2026-11-01,a,2,USD,mule\n',
      'line 2, column 5: `label_reason` must be empty unless the `label` is fraud',
    ],
    [
      'an unknown reason',
      'occurred_at,user_id,amount,currency,label,label_reason\n2026-11-01,a,2,USD,fraud,theft\n',
      'line 2, column 6: `label_reason` must be one of takeover, stolen_card, first_party, mule, card_testing, other',
    ],
    ['a header without occurred_at', 'user_id,amount\n', /^line 1: the header has no column `occurred_at`/],
    [
      'a duplicate column',
      `${HEAD},amount\n`,
      'line 1, column 8: `amount` appears twice; expected one column per field',
    ],
    ['too few fields', `${HEAD}\n2026-11-01,ada,1\n`, 'line 2: 3 fields, expected 7 as in the header'],
    [
      'no time',
      `${HEAD}\nyesterday,ada,1,USD,,,\n`,
      'line 2, column 1: `occurred_at` must be a time such as 2026-11-14T09:30:00Z',
    ],
    [
      'a time before histories can begin',
      `${HEAD}\n1969-12-31,ada,1,USD,,,\n`,
      'line 2, column 1: `occurred_at` must be between 1970 and 2105',
    ],
    [
      'a time after the end of histories',
      `${HEAD}\n2106-02-08,ada,1,USD,,,\n`,
      'line 2, column 1: `occurred_at` must be between 1970 and 2105',
    ],
    [
      'items out of order',
      `${HEAD}\n2026-11-02,a,1,USD,,,\n2026-11-01,a,1,USD,,,\n`,
      'line 3, column 1: `occurred_at` is before that of an earlier line; sort the file by it',
    ],
    [
      'an invalid amount',
      `${HEAD}\n2026-11-02,a,1,USD,,,\n2026-11-02,a,12€,USD,,,\n`,
      'line 3, column 3: `amount` must be a number',
    ],
    ['an invalid currency', `${HEAD}\n2026-11-02,a,1,DOLLAR,,,\n`, /^line 2, column 4: `currency` must/],
    [
      'an invalid country',
      `${HEAD}\n2026-11-02,a,1,USD,Germany,,\n`,
      /^line 2, column 5: `billing_address.country` must/,
    ],
    ['a missing field', `occurred_at,user_id,amount\n2026-11-02,a,1\n`, 'line 2: `currency` is required'],
    [
      'an invalid label',
      `${HEAD}\n2026-11-02,a,1,USD,,,maybe\n`,
      'line 2, column 7: `label` must be fraud or legitimate',
    ],
    [
      'an open quotation mark',
      `${HEAD}\n2026-11-02,a,1,USD,,,\n2026-11-02,"a,1,USD,,,\n`,
      'line 3: a quotation mark is never closed',
    ],
    [
      'an open quotation mark before many lines with marks',
      `${HEAD}\n2026-11-02,"a,1,USD,,,\n${'2026-11-02,"a",1,USD,,,\n'.repeat(100_000)}`,
      'line 2: a quotation mark is never closed',
    ],
  ])('with %s is refused with the line, the column and what was expected', async (_, text, message) => {
    expect(await faultOf(text)).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  test.each([
    [
      'invalid JSON',
      '{"occurred_at":"2026-11-01","user_id":"a","amount":1,"currency":"USD"}\n{"occurred_at":}',
      'line 2, column 16: not JSON; expected one object per line',
    ],
    ['an incomplete line', '{"occurred_at":"2026-', 'line 1, column 22: not JSON; expected one object per line'],
    ['a list', '[1]', 'line 1, column 1: expected an object, one per line'],
    ['an unknown kind', '{"kind":"refund","occurred_at":"2026-11-01"}', 'line 1: `kind` must be transaction or event'],
    [
      'an event without a type',
      '{"kind":"event","occurred_at":"2026-11-01","user_id":"a"}',
      'line 1: `type` is required',
    ],
  ])('of JSON with %s is refused likewise', async (_, text, message) => {
    expect(await faultOf(text, 'ndjson')).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });

  test('with several errors is refused for the first, and only once a reader gets there', async () => {
    const good = '{"occurred_at":"2026-11-01","user_id":"a","amount":1,"currency":"USD"}';
    const path = join(folder, 'several.ndjson');
    writeFileSync(path, [good, good, good.replace('USD', 'no'), 'not JSON', ''].join('\n'));
    const items = readItems(path, { warn: () => {} });
    for (const row of [0, 1]) expect((await items.next()).value).toMatchObject({ row });
    await expect(items.next()).rejects.toThrow(/line 3: `currency`/);
  });

  test('gives every item of a block its own facts', async () => {
    const lines = Array.from({ length: 300 }, (_, i) => `2026-11-01,u${i},1,USD,,,`);
    const path = join(folder, 'blocks.csv');
    writeFileSync(path, [HEAD, ...lines, ''].join('\n'));
    let count = 0;
    for await (const block of readItemBlocks(path, { warn: () => {} })) {
      expect(new Set(block.map(({ subject }) => subject.knowledge)).size).toBe(block.length);
      for (const { subject } of block) expect(subject.request.user_id).toBe(`u${count++}`);
    }
    expect(count).toBe(300);
  });

  test('that is missing, or named .gz without being gzipped, is an error with its path', async () => {
    const none = readItems(join(folder, 'none.csv'), { warn: () => {} });
    await expect(none.next()).rejects.toThrow(/none\.csv could not be read: ENOENT/);
    const path = join(folder, 'plain.csv.gz');
    writeFileSync(path, CSV);
    await expect(readItems(path, { warn: () => {} }).next()).rejects.toThrow(
      /plain\.csv\.gz could not be read: incorrect header/,
    );
  });
});

describe('CSV', () => {
  const anyField = fc.string({ unit: fc.constantFrom('a', 'b', ',', '"', '\n', ' ', 'é', '😀') });
  const quote = (field: string): string => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

  test('survives a round trip for any chunks', async () => {
    const anyRecords = fc.array(fc.array(anyField, { minLength: 2, maxLength: 4 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(anyRecords, fc.integer({ min: 1, max: 9 }), async (records, size) => {
        const text = records.map((fields) => `${fields.map(quote).join(',')}\n`).join('');
        const pieces = async function* () {
          for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
        };
        const found: (readonly string[])[] = [];
        for await (const read of csvRecords(pieces())) found.push(...read.map(({ fields }) => fields));
        expect(found).toEqual(records);
      }),
    );
  });

  test('splits a plain record at its commas', () => {
    expect(fieldsOf('a,,b,')).toEqual(['a', '', 'b', '']);
  });
});
