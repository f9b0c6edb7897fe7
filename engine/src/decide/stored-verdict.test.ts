import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anySequence, upTo } from '../../test/subjects.ts';
import { FACT_NAMES, type Facts, fact, makeFacts } from '../history/facts.ts';
import { replay } from '../replay.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { packFacts, packVerdict, unpackCountry, unpackFacts, unpackOutcome, unpackVerdict } from './stored-verdict.ts';

const LENGTH = FACT_NAMES.length;
/** Equal bit by bit; all NaNs are equal. */
const same = (a: Facts, b: Facts): boolean => a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
const survivesRoundTrip = (facts: Facts): boolean => same(unpackFacts(packFacts(facts)), facts);

/** Values like those of real facts (runs of zeros and NaNs, small counts), and sometimes any double. */
const anyPiece = fc.oneof(
  fc.tuple(fc.constantFrom(0, Number.NaN, -0, 1), fc.integer({ min: 1, max: 300 })),
  fc.tuple(fc.integer({ min: 0, max: 260 }), fc.integer({ min: 1, max: 4 })),
  fc.tuple(fc.double(), fc.integer({ min: 1, max: 3 })),
);
const anyFacts = fc.array(anyPiece, upTo(60)).map((pieces) => {
  const facts = makeFacts();
  let at = 0;
  for (const [value, count] of pieces) {
    facts.fill(value, at, at + count);
    at += count;
  }
  return facts;
});

describe('a packed verdict', () => {
  test('survives a round trip and is readable JSON', () => {
    fc.assert(
      fc.property(anySequence(30), (subjects) => {
        for (const { verdict } of replay(DEFAULT_POLICY, subjects)) {
          expect(unpackVerdict(packVerdict(verdict))).toEqual(verdict);
        }
      }),
      { numRuns: 20 },
    );
    const factors = [
      { of: 'signal', name: 'new_device', contribution: 12 },
      { of: 'feature', name: 'metadata.a "quote"', contribution: 4 },
      { of: 'signal', name: 'ip_mismatch', contribution: 3 },
      { of: 'feature', name: 'user.age_ms', contribution: -4 },
    ] as const;
    const verdict = {
      score: 20,
      decision: 'allow',
      baseScore: 5,
      signals: ['new_device', 'ip_mismatch'],
      factors,
      modelVersion: 'mdl_a',
      probability: 0.125,
      lists: [],
      rules: [],
      shadow: [],
      isForced: false,
    } as const;
    const packed = packVerdict(verdict);
    expect(packed).toBe(
      '{"score":20,"decision":"allow","base_score":5,"signals":["new_device","ip_mismatch"],"rules":{"new_device":12,"ip_mismatch":3},' +
        '"features":{"metadata.a \\"quote\\"":4,"user.age_ms":-4},"model":"mdl_a","probability":0.125}',
    );
    expect(unpackVerdict(packed)).toEqual(verdict);
    const forced = { ...verdict, isForced: true };
    expect(packVerdict(forced)).toMatch(/^\{"score":20,"forced":true,"decision":/);
    expect(unpackVerdict(packVerdict(forced))).toEqual(forced);
    const withMatches = { ...verdict, lists: ['vip'], rules: ['rule_1', 'rule_2'], shadow: ['rule_3'] };
    expect(packVerdict(withMatches)).toBe(
      `${packed.slice(0, -1)},"lists":["vip"],"matched":["rule_1","rule_2"],"shadow":["rule_3"]}`,
    );
    expect(unpackVerdict(packVerdict(withMatches))).toEqual(withMatches);
    const none = { ...verdict, factors: [], modelVersion: null, probability: null };
    expect(packVerdict(none)).toBe(
      '{"score":20,"decision":"allow","base_score":5,"signals":["new_device","ip_mismatch"],"rules":{}}',
    );
  });
});

/** Names that look like the fields of a packed verdict. */
const anyName = fc.oneof(
  fc.constantFrom(',"rules":{', ',"model":"', ',"matched":[', '},"model":"a', 'model', 'rules', 'matched', '\\"'),
  fc.string(),
);

test('the outcome of a packed verdict is that of the whole verdict, whatever its factors are named', () => {
  fc.assert(
    fc.property(
      fc.record({
        score: fc.integer({ min: 0, max: 100 }),
        isForced: fc.boolean(),
        signals: fc.subarray(['new_device', 'ip_mismatch', 'model', 'matched']),
        names: fc.uniqueArray(anyName, { maxLength: 5 }),
        modelVersion: fc.constantFrom(null, 'mdl_a'),
        lists: fc.array(anyName, { maxLength: 2 }),
        rules: fc.array(anyName, { maxLength: 2 }),
        shadow: fc.array(anyName, { maxLength: 2 }),
      }),
      ({ names, ...drawn }) => {
        const factors = [
          ...drawn.signals.map((name) => ({ of: 'signal', name, contribution: 2 }) as const),
          ...names.map((name) => ({ of: 'feature', name, contribution: 1 }) as const),
        ];
        const packed = packVerdict({ ...drawn, decision: 'review', baseScore: 5, factors, probability: 0.5 });
        const { score, decision, signals, rules, modelVersion } = unpackVerdict(packed);
        expect(unpackOutcome(packed)).toEqual({ score, decision, signals, rules, modelVersion });
      },
    ),
    { numRuns: 500 },
  );
});

test('the country is read from packed facts as from all of them', () => {
  const country = fact('ip_country');
  fc.assert(
    fc.property(anyFacts, (facts) => Object.is(unpackCountry(packFacts(facts)), facts[country])),
    { numRuns: 500 },
  );
  expect(unpackCountry(new Uint8Array())).toBeNaN();
});

describe('packed facts survive a round trip to the bit', () => {
  test('for any values', () => {
    fc.assert(fc.property(anyFacts, survivesRoundTrip), { numRuns: 500 });
  });

  test('for arbitrary doubles', () => {
    fc.assert(fc.property(fc.float64Array({ minLength: LENGTH, maxLength: LENGTH }), survivesRoundTrip), {
      numRuns: 30,
    });
  });

  test.each([
    0,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    1,
    -1,
    0.5,
    239,
    239.5,
    240,
    241,
    242,
    243,
    244,
    255,
    256,
    65_535,
    65_536,
    2 ** 32 - 1,
    2 ** 32,
    Number.MIN_VALUE,
    Number.MAX_VALUE,
    Number.EPSILON,
    Number.MAX_SAFE_INTEGER,
    1_794_648_600_123,
  ])('for all facts equal to %d', (value) => {
    expect(survivesRoundTrip(makeFacts().fill(value))).toBe(true);
  });

  test.each([1, 254, 255, 256, 257, LENGTH - 1])(
    'with runs of %i zeros or NaNs and something else around them',
    (run) => {
      for (const value of [0, Number.NaN]) {
        const front = makeFacts().fill(7).fill(value, 0, run);
        const back = makeFacts()
          .fill(7)
          .fill(value, LENGTH - run);
        expect([front, back].every(survivesRoundTrip)).toBe(true);
      }
    },
  );

  test('from the middle of a larger buffer, as a database returns them', () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: 0, max: 9 }), (facts, offset) => {
        const packed = packFacts(facts);
        const buffer = new Uint8Array(packed.length + 20).fill(255);
        buffer.set(packed, offset);
        expect(same(unpackFacts(buffer.subarray(offset, offset + packed.length)), facts)).toBe(true);
      }),
    );
  });

  test('in bytes that stay the same, because they are stored', () => {
    const facts = makeFacts();
    facts.set([1, 2.5, 2.5, Number.NaN, Number.NaN, 239, 240, 65_536]);
    const double = (value: number) => [244, ...new Uint8Array(new Float64Array([value]).buffer).reverse()];
    const whole = [239, 242, 0, 240, 243, 0, 1, 0, 0];
    const runs = (value: number, length: number): number[] =>
      length > 256 ? [value, 240, 255, ...runs(value, length - 256)] : [value, 240, length - 1];
    expect([...packFacts(facts)]).toEqual([1, ...double(2.5), 240, 1, 241, 240, 1, ...whole, ...runs(0, LENGTH - 8)]);
    expect([...packFacts(makeFacts().fill(Number.NaN))]).toEqual(runs(241, LENGTH));
  });

  test('and do not change when others are packed after them', () => {
    const first = packFacts(makeFacts().fill(1.5));
    const copy = first.slice();
    packFacts(makeFacts().fill(-2.5));
    expect(first).toEqual(copy);
  });

  test('and take less than half the bytes of plain doubles, for facts of real screenings', () => {
    fc.assert(
      fc.property(anySequence(30), (subjects) => {
        for (const { facts } of replay(DEFAULT_POLICY, subjects)) {
          expect(survivesRoundTrip(facts)).toBe(true);
          expect(packFacts(facts).length).toBeLessThan(LENGTH * 4);
        }
      }),
      { numRuns: 20 },
    );
  });
});

test('packed facts stay as they are while others are packed, also beyond one block', () => {
  const all = Array.from({ length: 500 }, (_, n) => makeFacts().map((_fact, at) => (at % 3 === 0 ? n + at / 7 : n)));
  const packed = all.map(packFacts);
  expect(packed.map((bytes) => unpackFacts(bytes))).toEqual(all);
});
