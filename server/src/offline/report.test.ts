import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeMeasures, type TestedItem } from './measures.ts';
import { type AboutBacktest, writeReport } from './report.ts';
import { count, counted, dollars, percent } from './report-words.ts';

const ABOUT: AboutBacktest = {
  file: '/data/history.csv.gz',
  model: 'trees-1',
  policy: 'rules-1',
  test_from: null,
  test_until: null,
  label_delay: '7d',
  train_days: null,
  made_at: '2026-05-11T09:30:00Z',
  items_per_second: 40_000,
};

const item = (over: Partial<TestedItem> = {}): TestedItem => ({
  row: 0,
  at: Date.UTC(2026, 2, 4),
  dollars: 20,
  money: { amount: 20, currency: 'USD' },
  label: 0,
  attack: undefined,
  probability: 0.01,
  score: 3,
  decision: 'allow',
  signals: [],
  ...over,
});
const FRAUD = { label: 1, probability: 0.9, score: 90, decision: 'block', dollars: 100 } as const;

const report = (items: readonly TestedItem[], about: Partial<AboutBacktest> = {}): string => {
  const measures = makeMeasures({ review: 50, block: 80 });
  for (const one of items) measures.add(one);
  return writeReport(measures.result(), { ...ABOUT, ...about });
};
const textOf = (page: string): string =>
  page
    .replaceAll(/<(style|script)>[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/[\s\u00a0]+/g, ' ');

const later = (weeks: number) => Date.UTC(2026, 2, 4) + weeks * 7 * 86_400_000;
const CASES: Readonly<Record<string, readonly TestedItem[]>> = {
  'no item': [],
  'one item': [item()],
  'one fraud': [item(FRAUD)],
  'no labels': [item({ label: undefined }), item({ label: undefined, score: 60, decision: 'review' })],
  'frauds alone': [item(FRAUD), item({ ...FRAUD, score: 10, decision: 'allow' })],
  'legitimate items alone': [item(), item({ score: 99, decision: 'block' })],
  'no amounts': [item({ dollars: Number.NaN }), item({ ...FRAUD, dollars: Number.NaN })],
  'amounts of 0': [item({ dollars: 0 }), item({ ...FRAUD, dollars: 0 })],
  'one week': [item(), item(FRAUD)],
  'weeks of one label each': [item(), item({ ...FRAUD, at: later(1) }), item({ at: later(2) })],
  'three years': Array.from({ length: 160 }, (_, i) => item({ ...(i % 2 ? FRAUD : {}), at: later(i) })),
};

describe('the report', () => {
  test.each(Object.entries(CASES))('of %s is complete, and has no NaN or undefined', (_, items) => {
    const page = report(items);
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('</html>');
    expect(page).not.toMatch(/NaN|undefined|Infinity|null,|>null|"null/);
  });

  test('of any items is well-formed, and has no NaN or undefined', () => {
    const some = fc.record({
      dollars: fc.constantFrom(Number.NaN, 0, 0.5, 12_345_678.9),
      label: fc.constantFrom<0 | 1 | undefined>(0, 1, undefined),
      probability: fc.double({ min: 0, max: 1, noNaN: true }),
      score: fc.integer({ min: 0, max: 100 }),
      decision: fc.constantFrom('allow', 'review', 'block'),
      signals: fc.subarray(['new_device', 'shared_ip']),
      attack: fc.constantFrom(undefined, 'takeover'),
      at: fc.integer({ min: 0, max: 5 }).map(later),
    });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 30 }), (all) => {
        const page = report(all.sort((a, b) => a.at - b.at).map((over) => item(over)));
        expect(page).not.toMatch(/NaN|undefined|Infinity/);
        for (const name of [
          'svg',
          'table',
          'tr',
          'td',
          'th',
          'section',
          'figure',
          'div',
          'dl',
          'p',
          'g',
          'h2',
          'h3',
          'span',
        ])
          expect(page.match(new RegExp(`<${name}[\\s>]`, 'g'))?.length).toBe(
            page.match(new RegExp(`</${name}>`, 'g'))?.length,
          );
        const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const [, named = ''] of page.matchAll(/(?:aria-labelledby|for)="([^"]+)"/g))
          for (const id of named.split(' ')) expect(ids).toContain(id);
      }),
      { numRuns: 60 },
    );
  });

  test('compares the served score with the model alone, and names the thresholds within the budget', () => {
    const items = [
      ...Array.from({ length: 1990 }, () => item()),
      ...Array.from({ length: 10 }, () => item({ score: 61, decision: 'review', probability: 0.02 })),
      ...Array.from({ length: 5 }, () => item({ ...FRAUD, signals: ['new_device'] })),
    ];
    const text = textOf(report(items));
    expect(text).toMatch(/Legitimate held per 10,000 ?50\.0 ?0\.0/);
    expect(text).toContain('The lowest thresholds within it: review from 4, block from 62.');
    expect(text).toContain('budget: review 4');
    expect(text).toContain('62 block by budget');
    expect(text).toMatch(/new_device[ \d%]*57 % to 100 %/);
  });

  test('begins with the result in one sentence', () => {
    const items = [
      ...Array.from({ length: 17 }, () => item(FRAUD)),
      ...Array.from({ length: 3 }, () => item({ ...FRAUD, dollars: 50, score: 10, decision: 'allow' })),
      ...Array.from({ length: 2499 }, () => item()),
      item({ score: 55, decision: 'review' }),
    ];
    expect(textOf(report(items))).toContain(
      '17 of 20 frauds would have been caught: 85 % of the cases and 92 % of the amount; 1 of 2,500 legitimate items would have been a false positive: 0.04 %.',
    );
  });

  test('states which results are missing and why', () => {
    expect(textOf(report([]))).toContain('No item was tested');
    expect(textOf(report(CASES['no labels'] ?? []))).toContain('No item has a label');
    expect(textOf(report(CASES['frauds alone'] ?? []))).toContain('No item is labelled as legitimate');
    expect(textOf(report(CASES['legitimate items alone'] ?? []))).toContain('No item is labelled as fraud');
    expect(textOf(report(CASES['one week'] ?? []))).toContain('All items are in one week');
  });

  test('has a caption, a title and a description of every chart', () => {
    const page = report(CASES['three years'] ?? []);
    const charts = [...page.matchAll(/<figure[\s\S]*?<\/figure>/g)].map(([figure]) => figure);
    expect(charts).toHaveLength(9);
    for (const figure of charts) {
      expect(figure).toMatch(/<figcaption><h3 id="[^"]+">[^<]+<\/h3><p>[^<]{40,}<\/p>/);
      expect(figure).toMatch(/role="img"[^>]*>\s*<title id="[^"]+">[^<]+<\/title><desc id="[^"]+">[^<]{10,}<\/desc>/);
    }
    for (const [table] of page.matchAll(/<table[\s\S]*?<\/table>/g)) {
      expect(table).toContain('<caption>');
      expect(table).toContain('scope="col"');
      expect(table).toContain('scope="row"');
    }
  });

  test('escapes names from files', () => {
    const evil = `"><img src=x onerror='alert(1)'></script><script>alert(1)</script>&amp;`;
    const page = report([item({ ...FRAUD, attack: evil, signals: [evil] }), item()], {
      file: `/tmp/${evil}`,
      model: evil,
      policy: evil,
      test_from: evil,
      test_until: evil,
      label_delay: evil,
      made_at: evil,
    });
    expect(page).not.toMatch(/<img|onerror='/);
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).toContain('&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;');
  });

  test('loads nothing, and its content security policy allows only its own style and script', () => {
    const page = report(CASES['three years'] ?? []);
    expect(page).not.toMatch(/https?:|\/\/[a-z]|url\(|@import|\s(src|href|style|on[a-z]+)=/i);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1]?.replaceAll('&#39;', "'");
    for (const name of ['style', 'script']) {
      const inside = new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(page)?.[1] as string;
      expect(policy).toContain(`${name}-src 'sha256-${createHash('sha256').update(inside).digest('base64')}'`);
    }
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
  });

  test('marks the thresholds in force in the table of thresholds', () => {
    const page = report(CASES['one week'] ?? []);
    const rows = [...page.matchAll(/<tr data-score="(\d+)"[\s\S]*?<\/tr>/g)];
    expect(rows).toHaveLength(19);
    expect(rows.filter(([row]) => row.includes('class="badge"')).map(([, score]) => score)).toEqual(['50', '80']);
    const at = Number(/<input id="threshold"[^>]* value="(\d+)"/.exec(page)?.[1]);
    expect(rows[at]?.[1]).toBe('50');
  });
});

describe('formats of numbers', () => {
  const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

  test('a share has significant digits, and is 0 % or 100 % only if exact', () => {
    expect(
      [0, 0.000_041, 0.0004, 0.0123, 0.5, 0.854, 0.996, 0.999_99, 1].map((share) => plain(percent(share))),
    ).toEqual([...['0 %', '0.0041 %', '0.04 %', '1.2 %', '50 %', '85 %', '99.6 %', '99.9 %', '100 %']]);
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true }), (share) => {
        const shown = Number.parseFloat(percent(share)) / 100;
        expect(shown).toBeGreaterThan(0);
        expect(shown).toBeLessThan(1);
        expect(Math.abs(shown - share)).toBeLessThanOrEqual(Math.max(0.005, share * 0.06));
      }),
    );
  });

  test('a missing value is a dash', () => {
    expect([percent(null), count(null), dollars(null), percent(Number.NaN)]).toEqual(['–', '–', '–', '–']);
  });

  test('amounts and counts have thousands separators, and large amounts are shortened', () => {
    expect([0, 9.5, 99, 1234.56, 6_480_000, -20].map((value) => plain(dollars(value)))).toEqual([
      ...['$0', '$9.50', '$99', '$1,235', '$6.48 million', '−$20'],
    ]);
    expect([plain(counted(1, 'fraud')), plain(counted(98_766, 'fraud'))]).toEqual(['1 fraud', '98,766 frauds']);
  });
});
