import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, pay, START, upTo } from '../../test/subjects.ts';
import { FACT_NAMES, type Facts, fact, makeFacts } from '../history/facts.ts';
import { assumedWeightOf, FEATURE_NAMES, type FillFeatures, makeFeatureReader } from '../model/features.ts';
import { evaluateSignals, makeActiveSignals } from '../signals/evaluate.ts';
import type { Subject } from '../subject/subject.ts';
import { makeTrainingTable, type TrainingData } from './table.ts';

const makeFeatures = (): Float64Array => new Float64Array(FEATURE_NAMES.length);
const fillFeatures = makeFeatureReader(FEATURE_NAMES) as FillFeatures;

interface Row {
  readonly facts: Facts;
  readonly subject: Subject;
  readonly label: 0 | 1;
}
const FOREVER = Number.POSITIVE_INFINITY;
const ALL_ROWS = 1_000_000;
/** One of four values, spread irregularly, because frauds and kept rows come at regular steps. */
const quarterOf = (row: number): string => `q${Math.imul(row, 0x9e3779b1) >>> 30}`;
/** More than two chunks of rows. */
const MANY = 20_000;
const PIECE = 8192;

const anyNumber = fc.oneof(
  fc.constantFrom(0, 1, Number.NaN, 1e12),
  fc.nat(1e6).map((eighths) => eighths / 8),
);
/** Facts of which most are constant, as for most accounts. */
const anyRow: fc.Arbitrary<Omit<Row, 'subject'> & { gap: number; metadata: Record<string, string> }> = fc.record({
  facts: fc.array(fc.tuple(fc.nat(FACT_NAMES.length - 1), anyNumber), { maxLength: 4 }).map((places) => {
    const facts = makeFacts();
    for (const [at, value] of places) facts[at] = value;
    return facts;
  }),
  label: fc.constantFrom(0 as const, 1 as const),
  gap: fc.integer({ min: 0, max: 3 }),
  metadata: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), fc.constantFrom('x', 'y', '7'), {
    maxKeys: 2,
  }),
});
const anyRows: fc.Arbitrary<Row[]> = fc.array(anyRow, upTo(60)).map((rows) => {
  let at = 0;
  return rows.map(({ facts, label, gap, metadata }) => {
    at += gap;
    return { facts, label, subject: pay(at, { metadata }) };
  });
});

const featuresOf = ({ facts, subject }: Row): number[] => {
  const features = makeFeatures();
  const active = makeActiveSignals();
  evaluateSignals(facts, subject, active);
  fillFeatures(facts, subject, active, features);
  return [...features].map(Math.fround);
};
const tableOf = (rows: readonly Row[], maxRows = ALL_ROWS) => {
  const table = makeTrainingTable(maxRows);
  for (const { facts, subject, label } of rows) table.add(facts, subject, label);
  return table;
};
const rowOf = ({ values, features }: TrainingData, row: number): number[] => [
  ...values.slice(row * features, (row + 1) * features),
];
const sum = (list: Iterable<number>): number => [...list].reduce((total, value) => total + value, 0);

/** A payment whose facts differ only in the dollars. */
const plainRow = (time: number, dollars: number, label: 0 | 1 = 0, metadata: Record<string, string> = {}): Row => {
  const facts = makeFacts().fill(0);
  facts[fact('dollars')] = dollars;
  return { facts, subject: pay(time, { metadata }), label };
};

const metadataOf = (request: Subject['request'], name: string): unknown =>
  Object.getOwnPropertyDescriptor(request.metadata ?? {}, name)?.value;

describe('a training table', () => {
  test('returns the features, labels and times that were added, without constant features except signals with an assumed weight', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const data = tableOf(rows).between(0, FOREVER);
        const features = rows.map(featuresOf);
        const kept = FEATURE_NAMES.flatMap((name, i) =>
          assumedWeightOf(name) > 0 || features.some((row) => !Object.is(row[i], features[0]?.[i])) ? [i] : [],
        );
        expect(data.names).toEqual(kept.map((i) => FEATURE_NAMES[i]));
        expect([data.count, data.features]).toEqual([rows.length, kept.length]);
        rows.forEach((_, row) => {
          expect(rowOf(data, row)).toEqual(kept.map((i) => features[row]?.[i]));
        });
        expect([...data.labels]).toEqual(rows.map(({ label }) => label));
        expect(data.weights.every((weight) => weight === 1)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('returns the rows of a period, its start included and its end excluded', () => {
    fc.assert(
      fc.property(anyRows, fc.nat(60), fc.nat(60), (rows, from, length) => {
        const [first, end] = [START + from, START + from + length];
        const kept = rows.filter(({ subject: { at } }) => at >= first && at < end);
        const data = tableOf(rows).between(first, end);
        expect(data.count).toBe(kept.length);
        expect([...data.labels]).toEqual(kept.map(({ label }) => label));
        kept.forEach((row, i) => {
          const features = featuresOf(row);
          rowOf(data, i).forEach((value, column) => {
            expect(value).toBe(features[FEATURE_NAMES.indexOf(data.names[column] as string)]);
          });
        });
      }),
      { numRuns: 60 },
    );
  });

  test('returns the same rows of a period for any rows before and after it', () => {
    fc.assert(
      fc.property(anyRows, fc.nat(60), fc.nat(60), (rows, from, length) => {
        const [first, end] = [START + from, START + from + length];
        const kept = rows.filter(({ subject: { at } }) => at >= first && at < end);
        expect(tableOf(rows).between(first, end)).toEqual(tableOf(kept).between(0, FOREVER));
      }),
      { numRuns: 100 },
    );
    const many = Array.from({ length: 2 * PIECE }, (_, i) =>
      plainRow(i, i < PIECE + 100 ? 1 : 2, 0, { third: `${i % 3}` }),
    );
    const [first, end] = [START + 7, START + PIECE + 100];
    const kept = many.slice(7, PIECE + 100);
    expect(tableOf(many).between(first, end)).toEqual(tableOf(kept).between(0, FOREVER));
  });

  test('numbers the values of categories, and -1 for a row without a value', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const { categories } = tableOf(rows).between(0, FOREVER);
        for (const name of ['a', 'b', '__proto__', 'constructor']) {
          const said = rows.map(({ subject: { request } }) => metadataOf(request, name));
          const category = categories.find(({ member }) => member === `metadata.${name}`);
          const different = new Set(said.filter((value) => value !== undefined));
          expect(category === undefined).toBe(different.size < 2);
          if (category === undefined) continue;
          expect(Array.from(category.codes, (code) => category.values[code])).toEqual(said);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('treats a field with 2 to 400 values as a category', () => {
    const values = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`);
    const rows = values(500).map((order, i) =>
      plainRow(i, 1, 0, { order, shop: `s${i % 400}`, bank: `b${i % 401}`, version: '1' }),
    );
    const { categories } = tableOf(rows).between(0, FOREVER);
    expect(categories.map(({ member }) => member)).toEqual(['metadata.shop']);
    expect(categories[0]?.values).toEqual(values(400).map((value) => value.replace('v', 's')));
  });
});

describe('a training table of many rows', () => {
  const rows = Array.from({ length: MANY }, (_, i) =>
    plainRow(i, Math.floor(i / PIECE), i % 100 === 0 ? 1 : 0, { day: `d${Math.floor(i / 5000)}` }),
  );
  const table = tableOf(rows);

  test('finds features that are constant within each chunk but differ between chunks', () => {
    const data = table.between(0, FOREVER);
    const column = data.names.indexOf('dollars');
    expect(column).toBeGreaterThanOrEqual(0);
    for (const row of [0, PIECE - 1, PIECE, 2 * PIECE - 1, 2 * PIECE, MANY - 1])
      expect(data.values[row * data.features + column]).toBe(Math.floor(row / PIECE));
    expect(sum(data.labels)).toBe(MANY / 100);
    const [day] = data.categories;
    expect(Array.from(day?.codes ?? [], (code) => day?.values[code])).toEqual(
      rows.map(({ subject }) => metadataOf(subject.request, 'day')),
    );
  });

  test('drops old rows only', () => {
    const young = START + 9000;
    const before = table.between(young, FOREVER);
    const own = tableOf(rows);
    own.dropBefore(young);
    expect(own.between(young, FOREVER)).toEqual(before);
    const left = own.between(0, FOREVER).count;
    expect(left).toBeGreaterThanOrEqual(before.count);
    expect(left).toBeLessThan(before.count + PIECE);
  });
});

describe('rows without metadata', () => {
  const facts = () => makeFacts().fill(0);
  /** The category of each row, in order. */
  const kindsOf = ({ categories: [kind], count }: TrainingData): (string | undefined)[] =>
    Array.from({ length: count }, (_, row) => kind?.values[kind.codes[row] as number]);

  test.each([ALL_ROWS, 50])(
    'get that of legitimate rows of their type, spread evenly; of %d rows at most',
    (maxRows) => {
      const table = makeTrainingTable(maxRows);
      const gone = 10;
      for (let i = 0; i < gone; i++) table.add(facts(), pay(i), 1, 0.25, true);
      table.add(facts(), act(gone, 'login'), 1, 0.25, true);
      for (let i = 0; i < 40; i++) {
        table.add(facts(), pay(100 + i, { metadata: { kind: i < 20 ? 'early' : 'late' } }), 0);
        table.add(facts(), pay(100 + i, { metadata: { kind: 'of a fraud' } }), i % 10 === 0 ? 1 : 0);
        table.add(facts(), act(100 + i, 'login', { metadata: { kind: 'of an event' } }), 0);
      }
      const kinds = kindsOf(table.between(0, FOREVER)).slice(0, gone + 1);
      expect(kinds.pop()).toBe('of an event');
      expect(new Set(kinds.slice(0, 5)).has('late')).toBe(false);
      expect(new Set(kinds.slice(5)).has('early')).toBe(false);
      expect(new Set(kinds).has('of an event')).toBe(false);
      expect(new Set(kinds).has(undefined)).toBe(false);
    },
  );

  test('keep their other categories, and get none if no row can lend metadata', () => {
    const table = makeTrainingTable(ALL_ROWS);
    table.add(facts(), pay(0, { currency: 'EUR' }), 1, 1, true);
    table.add(facts(), pay(1, { currency: 'USD', metadata: { kind: 'x' } }), 1);
    table.add(facts(), pay(2, { currency: 'USD', metadata: { kind: 'y' } }), 1);
    const [currency, kind] = table.between(0, FOREVER).categories;
    expect(currency).toMatchObject({ member: 'currency', values: ['EUR', 'USD'], codes: Int16Array.of(0, 1, 1) });
    expect(kind?.codes).toEqual(Int16Array.of(-1, 0, 1));
  });
});

describe('a training table that is full', () => {
  test('keeps every fraud, and legitimate rows that count for the dropped ones', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 400 }), fc.integer({ min: 10, max: 50 }), (maxRows, every) => {
        const many = Array.from({ length: 2000 }, (_, i) =>
          plainRow(i, i, i % every === 3 ? 1 : 0, { quarter: quarterOf(i) }),
        );
        const frauds = many.filter(({ label }) => label === 1).length;
        fc.pre(frauds < maxRows / 2);
        const data = tableOf(many, maxRows).between(0, FOREVER);
        expect(data.count).toBeLessThanOrEqual(maxRows);
        expect(data.count).toBeGreaterThan(maxRows / 3);
        expect(sum(data.labels)).toBe(frauds);
        const [of] = [data.weights.filter((_, row) => data.labels[row] === 1)];
        expect(of.every((weight) => weight === 1)).toBe(true);
        const legitimates = sum(data.weights) - frauds;
        // The last row kept after each thinning stands for rows that were not added yet.
        expect(Math.abs(legitimates / (2000 - frauds) - 1)).toBeLessThan(0.1);
        const column = data.names.indexOf('dollars');
        const dollars = Array.from({ length: data.count }, (_, row) => data.values[row * data.features + column]);
        expect(dollars).toEqual(dollars.toSorted((a, b) => (a as number) - (b as number)));
        const [quarter] = data.categories;
        for (const [row, paid] of dollars.entries()) {
          expect(data.labels[row]).toBe(many[paid as number]?.label);
          expect(quarter?.values[quarter.codes[row] as number]).toBe(quarterOf(paid as number));
        }
      }),
      { numRuns: 15 },
    );
  });

  test('keeps to its limit if nearly all rows are fraud, and keeps the share of fraud', () => {
    const many = Array.from({ length: 3000 }, (_, i) => plainRow(i, i, i % 10 === 0 ? 0 : 1));
    const data = tableOf(many, 200).between(0, FOREVER);
    expect(data.count).toBeLessThanOrEqual(200);
    const fraudWeight = sum(data.weights.filter((_, row) => data.labels[row] === 1));
    expect(Math.abs(fraudWeight / sum(data.weights) - 0.9)).toBeLessThan(0.05);
  });
});

test('rows have the features that the model may use, with the values that they have beside all others', () => {
  fc.assert(
    fc.property(anyRows, (rows) => {
      const mayUse = (name: string): boolean => name.startsWith('user.');
      const [all, some] = [makeTrainingTable(ALL_ROWS), makeTrainingTable(ALL_ROWS, mayUse)];
      for (const { facts, subject, label } of rows) {
        all.add(facts, subject, label);
        some.add(facts, subject, label);
      }
      const [whole, part] = [all, some].map((table) => table.between(0, Number.POSITIVE_INFINITY)) as [
        TrainingData,
        TrainingData,
      ];
      const allowed = whole.names.filter(mayUse);
      expect(part.names.filter(mayUse)).toEqual(allowed);
      const valuesOf = (data: TrainingData, row: number): number[] =>
        allowed.map((name) => data.values[row * data.features + data.names.indexOf(name)] as number);
      for (let row = 0; row < whole.count; row++) expect(valuesOf(part, row)).toEqual(valuesOf(whole, row));
    }),
  );
});
