import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anySequence, DAY, HOUR, pay, START, times } from '../test/subjects.ts';
import { FACT_NAMES, fact } from './facts.ts';
import { makeStream } from './stream.ts';

const TOLD_BY_LABELS = /\.(frauds|legitimates)\.|\.known_frauds$|\.fraud_age_ms$/;

const OTHER_FACTS = FACT_NAMES.flatMap((name, at) => (TOLD_BY_LABELS.test(name) ? [] : [at]));
/** More cells are merged sooner, so the same amounts may be added up in another order. */
const alike = (a: number, b: number): boolean => Object.is(a, b) || Math.abs(a - b) <= 1e-12 * Math.abs(a);

describe('a label', () => {
  test('is counted from the moment it is known, on everyone who took part, and fades from the windows', () => {
    const stream = makeStream();
    const stolen = pay(0, { user_id: 'victim', device_token: 'laptop', counterparty_id: 'shop' });
    stream.observe(stolen);
    const later = (time: number) => {
      const facts = stream.measure(pay(time, { user_id: 'other', device_token: 'laptop', counterparty_id: 'shop' }));
      return (name: string): number => facts[fact(name)] as number;
    };
    const before = later(9 * DAY);
    expect([before('device.known_frauds'), before('device.frauds.30d'), before('device.fraud_age_ms')]).toEqual([
      0,
      0,
      Number.NaN,
    ]);
    stream.label(stolen.hashes, { fraud: true, at: START + 10 * DAY });
    const soon = later(10 * DAY + HOUR);
    expect([soon('device.known_frauds'), soon('device.frauds.24h'), soon('counterparty.frauds.7d')]).toEqual([1, 1, 1]);
    expect(soon('device.fraud_age_ms')).toBe(HOUR);
    // The user of this payment is another, who took no part.
    expect(soon('user.known_frauds')).toBe(0);
    const long = later(60 * DAY);
    expect([long('device.known_frauds'), long('device.frauds.30d')]).toEqual([1, 0]);
    expect(long('device.fraud_age_ms')).toBe(50 * DAY);
  });

  test('of a legitimate payment is counted as such, where a share of fraud is wanted', () => {
    const stream = makeStream();
    const paid = times(4, (i) => pay(i, { counterparty_id: 'shop' }));
    for (const subject of paid) stream.observe(subject);
    for (const [i, subject] of paid.entries()) stream.label(subject.hashes, { fraud: i === 0, at: START + DAY });
    const facts = stream.measure(pay(DAY + HOUR, { counterparty_id: 'shop' }));
    const told = (name: string): number => facts[fact(name)] as number;
    expect([told('counterparty.frauds.24h'), told('counterparty.legitimates.24h')]).toEqual([1, 3]);
  });

  test('changes nothing but what is known of fraud', () => {
    fc.assert(
      fc.property(anySequence(50), fc.array(fc.boolean(), { minLength: 50, maxLength: 50 }), (subjects, frauds) => {
        const [plain, labelled] = [makeStream(), makeStream()];
        subjects.forEach((subject, i) => {
          const own = plain.measure(subject);
          const others = labelled.measure(subject);
          const changed = OTHER_FACTS.filter((at) => !alike(own[at] as number, others[at] as number));
          expect(changed.map((at) => FACT_NAMES[at])).toEqual([]);
          plain.observe(subject);
          labelled.observe(subject);
          const earlier = subjects[i >> 1];
          if (earlier !== undefined) labelled.label(earlier.hashes, { fraud: frauds[i] === true, at: subject.at });
        });
      }),
      { numRuns: 40 },
    );
  });

  test('that is given later changes no fact of before: shifting all of them into the future is as if there were none', () => {
    fc.assert(
      fc.property(anySequence(40), fc.integer({ min: 0, max: 39 }), (subjects, cut) => {
        const factsOf = (withLabels: boolean): number[][] => {
          const stream = makeStream();
          return subjects.slice(0, cut).map((subject, i) => {
            const facts = [...stream.measure(subject)];
            stream.observe(subject);
            // Known only after the last of those that are looked at.
            if (withLabels && i === cut - 1)
              for (const one of subjects) stream.label(one.hashes, { fraud: true, at: subject.at + DAY });
            return facts;
          });
        };
        expect(factsOf(true)).toEqual(factsOf(false));
      }),
      { numRuns: 30 },
    );
  });

  test("of someone who was never seen is nobody's", () => {
    const stream = makeStream();
    stream.label(pay(0).hashes, { fraud: true, at: START });
    expect(stream.measure(pay(1))[fact('user.known_frauds')]).toBe(0);
  });
});
