import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anySequence, DAY, HOUR, pay, START, times } from '../../test/subjects.ts';
import { FACT_NAMES, fact } from './facts.ts';
import { makeInMemoryHistory } from './in-memory.ts';

const LABEL_FACTS = /\.(frauds|legitimates)\.|\.known_frauds$|\.fraud_age_ms$|_vouched$/;

const OTHER_FACTS = FACT_NAMES.flatMap((name, at) => (LABEL_FACTS.test(name) ? [] : [at]));
/** More cells merge sooner, so the same amounts may be added in another order. */
const alike = (a: number, b: number): boolean => Object.is(a, b) || Math.abs(a - b) <= 1e-12 * Math.abs(a);

describe('a label', () => {
  test('counts from when it is given, for every entity that took part, and leaves the windows again', () => {
    const stream = makeInMemoryHistory();
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
    // Another user, who took no part in the fraud, makes this payment.
    expect(soon('user.known_frauds')).toBe(0);
    const long = later(60 * DAY);
    expect([long('device.known_frauds'), long('device.frauds.30d')]).toEqual([1, 0]);
    expect(long('device.fraud_age_ms')).toBe(50 * DAY);
  });

  test('of a legitimate payment counts for entities that have a fraud share', () => {
    const stream = makeInMemoryHistory();
    const paid = times(4, (i) => pay(i, { counterparty_id: 'shop' }));
    for (const subject of paid) stream.observe(subject);
    for (const [i, subject] of paid.entries()) stream.label(subject.hashes, { fraud: i === 0, at: START + DAY });
    const facts = stream.measure(pay(DAY + HOUR, { counterparty_id: 'shop' }));
    const factOf = (name: string): number => facts[fact(name)] as number;
    expect([factOf('counterparty.frauds.24h'), factOf('counterparty.legitimates.24h')]).toEqual([1, 3]);
  });

  test('changes only the facts about fraud', () => {
    fc.assert(
      fc.property(anySequence(50), fc.array(fc.boolean(), { minLength: 50, maxLength: 50 }), (subjects, frauds) => {
        const [plain, labelled] = [makeInMemoryHistory(), makeInMemoryHistory()];
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

  test('does not change earlier facts: shifted into the future, labels have no effect', () => {
    fc.assert(
      fc.property(anySequence(40), fc.integer({ min: 0, max: 39 }), (subjects, cut) => {
        const factsOf = (withLabels: boolean): number[][] => {
          const stream = makeInMemoryHistory();
          return subjects.slice(0, cut).map((subject, i) => {
            const facts = [...stream.measure(subject)];
            stream.observe(subject);
            // Given only after the last measured subject.
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

  test('of an unknown entity is ignored', () => {
    const stream = makeInMemoryHistory();
    stream.label(pay(0).hashes, { fraud: true, at: START });
    expect(stream.measure(pay(1))[fact('user.known_frauds')]).toBe(0);
  });
});
