import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTimestamp, writeTimestamp } from './timestamps.ts';

const NINE_THIRTY = Date.UTC(2026, 10, 14, 9, 30);

describe('an RFC 3339 time or a plain date is parsed to the millisecond', () => {
  test.each([
    ['2026-11-14T09:30:00Z', NINE_THIRTY],
    ['2026-11-14t09:30:00z', NINE_THIRTY],
    ['2026-11-14 09:30:00Z', NINE_THIRTY],
    ['2026-11-14T09:30:00+00:00', NINE_THIRTY],
    ['2026-11-14T09:30:00-00:00', NINE_THIRTY],
    ['2026-11-14T11:30:00+02:00', NINE_THIRTY],
    ['2026-11-14T04:00:00-05:30', NINE_THIRTY],
    ['2026-11-15T09:29:00+23:59', NINE_THIRTY],
    ['2026-11-14T09:30:00.1Z', NINE_THIRTY + 100],
    ['2026-11-14T09:30:00.12Z', NINE_THIRTY + 120],
    ['2026-11-14T09:30:00.123Z', NINE_THIRTY + 123],
    ['2026-11-14T09:30:00.123999999Z', NINE_THIRTY + 123],
    ['2026-11-14T09:30:00.12345678901234567890+00:00', NINE_THIRTY + 123],
    ['2026-11-14', Date.UTC(2026, 10, 14)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2000-02-29T23:59:59Z', Date.UTC(2000, 1, 29, 23, 59, 59)],
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:59:59.999Z', -1],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
  ])('%s', (text, time) => {
    expect(readTimestamp(text)).toBe(time);
  });
});

describe('any other text is refused, not guessed', () => {
  test.each([
    '',
    ' ',
    'now',
    '1794648600000',
    '2026',
    '2026-11',
    '2026-11-1',
    '26-11-14',
    '2026-02-29',
    '2026-02-30',
    '2026-04-31',
    '1900-02-29',
    '2026-00-10',
    '2026-13-10',
    '2026-11-00',
    '2026-11-32',
    '2026-11-14T',
    '2026-11-14T09',
    '2026-11-14T09:30',
    '2026-11-14T09:30Z',
    '2026-11-14T09:30:00',
    '2026-11-14T24:00:00Z',
    '2026-11-14T09:60:00Z',
    '2026-11-14T09:30:61Z',
    '2026-11-14T09:30:00.Z',
    '2026-11-14T09:30:00,5Z',
    '2026-11-14T09:30:00+2:00',
    '2026-11-14T09:30:00+0200',
    '2026-11-14T09:30:00+24:00',
    '2026-11-14T09:30:00+02:60',
    '2026-11-14T09:30:00 02:00',
    ' 2026-11-14T09:30:00Z',
    '2026-11-14T09:30:00Z\n',
    '２０２６-11-14',
    '+002026-11-14T09:30:00Z',
    'Sat, 14 Nov 2026 09:30:00 GMT',
    '11/14/2026',
  ])('%j', (text) => {
    expect(readTimestamp(text)).toBeUndefined();
  });
});

describe('a time in the common notation is read like its parts', () => {
  const part = (max: number) => fc.integer({ min: 0, max });
  test('and refused if one of them is too large', () => {
    fc.assert(
      fc.property(part(33), part(25), part(61), part(61), (day, hour, minute, second) => {
        const two = (number: number): string => String(number).padStart(2, '0');
        const text = `2026-02-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}Z`;
        const isTime = day > 0 && day < 29 && hour < 24 && minute < 60 && second < 60;
        expect(readTimestamp(text)).toBe(isTime ? Date.UTC(2026, 1, day, hour, minute, second) : undefined);
      }),
    );
  });
});

const anyTime = fc.integer({ min: Date.UTC(1, 0, 1), max: Date.UTC(9998, 11, 31) });

describe('formatting and parsing are inverse', () => {
  test('for every millisecond of the years 1 to 9998, in one format', () => {
    fc.assert(
      fc.property(anyTime, (time) => {
        const text = writeTimestamp(time);
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(readTimestamp(text)).toBe(time);
      }),
    );
  });

  test('for alternating times, despite the cache of the formatter', () => {
    fc.assert(
      fc.property(anyTime, anyTime, (one, other) => {
        expect([one, one, other, one].map(writeTimestamp)).toEqual(
          [one, one, other, one].map((time) => new Date(time).toISOString()),
        );
      }),
    );
  });

  test('with any offset, which does not change the moment', () => {
    fc.assert(
      fc.property(anyTime, fc.integer({ min: -1439, max: 1439 }), (time, minutes) => {
        const local = new Date(time + minutes * 60_000).toISOString().slice(0, -1);
        const pad = (value: number) => String(value).padStart(2, '0');
        const size = Math.abs(minutes);
        const offset = `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
        expect(readTimestamp(local + offset)).toBe(time);
      }),
    );
  });

  test('parsing throws for no text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{0,3}[Z+]$/)),
        (text) => {
          const time = readTimestamp(text);
          expect(time === undefined || Number.isInteger(time)).toBe(true);
        },
      ),
    );
  });
});
