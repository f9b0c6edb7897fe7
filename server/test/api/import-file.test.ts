import { beforeAll, describe, expect, test } from 'vitest';
import { importFile } from '../../src/commands/import-file.ts';
import { ImportStopped, makeSender } from '../../src/commands/import-sender.ts';
import { runCommand } from '../fixtures/command.ts';
import { countRows, DAY_MS, type Service, startService } from '../fixtures/harness.ts';
import { csvOf, linesOf, makeHistory, write } from '../fixtures/history-files.ts';

const LABEL_DELAY = { labelDelay: 7 * DAY_MS };
const history = makeHistory(8);
const labels = history.filter(({ label }) => label !== undefined).length;

let service: Service;
beforeAll(async () => {
  service = await startService({ logLevel: 'silent' });
});

const importInto = (path: string, key: string | undefined, more: { until?: number } = {}) =>
  runCommand(() => importFile(path, key, { url: service.url, ...LABEL_DELAY, ...more }));

interface Stored {
  readonly at: number;
  readonly labelled_at: number | null;
}
const storedOf = (account: string): Promise<Stored[]> =>
  service.app.backend.read<Stored>(
    `SELECT s.screened_at AS at, l.labelled_at FROM screenings s JOIN tenants t ON t.tenant = s.tenant
      LEFT JOIN labels l ON l.tenant = s.tenant AND l.screening_seq = s.seq WHERE t.account = ? ORDER BY s.seq`,
    account,
  );

describe('portcullis import', () => {
  test('imports every item and label of a file once, however often it is run', async () => {
    const key = await service.key({ account: 'whole', role: 'manager' });
    const path = write(linesOf(history), 'ndjson.gz');
    const first = await importInto(path, key);
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toContain(
      `Imported ${history.length.toLocaleString('en')} items and ${labels.toLocaleString('en')} labels in `,
    );
    const stored = await storedOf('whole');
    expect(stored.map(({ at }) => at)).toEqual(history.map(({ occurred_at }) => Date.parse(occurred_at)));
    const again = await importInto(path, key);
    expect(again.out).toContain('Imported 0 items and 0 labels in ');
    expect(await storedOf('whole')).toEqual(stored);
  });

  test('lets a label be known from the midnight after its delay on', async () => {
    const labelled = (await storedOf('whole')).filter(({ labelled_at }) => labelled_at !== null);
    expect(labelled.length).toBe(labels);
    for (const { at, labelled_at } of labelled)
      expect(labelled_at).toBe((Math.floor((at + 7 * DAY_MS) / DAY_MS) + 1) * DAY_MS);
  });

  test('continues where an interrupted import stopped, and leaves out what is screened already', async () => {
    const key = await service.key({ account: 'parts' });
    const until = Date.parse(history[Math.floor(history.length / 2)]?.occurred_at as string);
    const rows = history.map((item, i) => ({ id: `order_${i}`, ...item }));
    const path = write(csvOf(rows), 'csv');
    expect((await importInto(path, key, { until })).code).toBe(0);
    expect((await storedOf('parts')).every(({ at }) => at < until)).toBe(true);
    expect((await importInto(path, key)).code).toBe(0);
    expect((await storedOf('parts')).map(({ at }) => at)).toEqual(
      history.map(({ occurred_at }) => Date.parse(occurred_at)),
    );
  });

  const HEAD = 'occurred_at,user_id,amount,currency,label,id';
  const GOOD = '2026-01-01T10:00:00Z,ada,5,USD,legitimate,one';
  test.each<[string, string, string, RegExp]>([
    ['a wrong type', `${HEAD}\n${GOOD}\n2026-01-02,ada,much,USD,,two\n`, 'csv', /line 3, column 3: `amount` must be/],
    [
      'a time in the future',
      `${HEAD}\n${GOOD}\n2099-01-02,ada,5,USD,,two\n`,
      'csv',
      /line 3, column 1: `occurred_at` must not be in the future/,
    ],
    [
      'the wrong order',
      `${HEAD}\n${GOOD}\n2025-01-02,ada,5,USD,,two\n`,
      'csv',
      /line 3, column 1: `occurred_at` is before/,
    ],
    [
      'one id twice, with other content',
      `${HEAD}\n${GOOD}\n2026-01-02,ada,6,USD,,one\n`,
      'csv',
      /line 3: `id` was imported with other content/,
    ],
    [
      'an id that is too long',
      `${HEAD}\n2026-01-02,ada,6,USD,,${'x'.repeat(256)}\n`,
      'csv',
      /line 2, column 6: `id` must be a text of 1 to 255/,
    ],
    [
      'a label before its item',
      `${HEAD},labelled_at\n${GOOD},2025-12-01\n`,
      'csv',
      /line 2, column 7: `labelled_at` must not be before/,
    ],
    [
      'a line without end',
      `${JSON.stringify(history[0])}\n${'x'.repeat(3_000_000)}`,
      'ndjson',
      /line 2: longer than 1,048,576 characters/,
    ],
    [
      'binary garbage',
      `${JSON.stringify(history[0])}\n\u0000\u0001\uFFFD{{{\n`,
      'ndjson',
      /line 2, column 1: not JSON/,
    ],
    ['a list in place of an object', '[1]\n', 'ndjson', /line 1, column 1: expected an object/],
  ])('refuses a file with %s, names the line and changes nothing', async (_, text, ending, reason) => {
    const account = `bad ${_}`;
    const key = await service.key({ account });
    const before = await countRows(service, 'screenings');
    const { code, err, out } = await importInto(write(text, ending), key);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(reason);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(await countRows(service, 'screenings')).toBe(before);
  });

  test('says which key is needed', async () => {
    const path = write(linesOf(history.slice(0, 3)));
    expect(await importInto(path, undefined)).toMatchObject({
      code: 2,
      err: expect.stringContaining('PORTCULLIS_KEY'),
    });
    const analyst = await importInto(path, await service.key({ role: 'analyst' }));
    expect([analyst.code, analyst.err]).toEqual([1, expect.stringContaining('The service refused the import: ')]);
    expect(analyst.err).toContain('tune');
  });

  test('repeats a request for more than a minute while the service does not answer, then says how to continue', async () => {
    const waits: number[] = [];
    const send = makeSender('http://127.0.0.1:9', 'sk_test_x', async (ms) => waits.push(ms));
    await expect(send({ body: '{}', lines: [] })).rejects.toThrow(ImportStopped);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(60_000);
  });
});
