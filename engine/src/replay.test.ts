import type { TransactionRequest } from '@portcullis/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyGap, anySequence, anyTransaction, HOUR, pay, START, times, upTo } from '../test/subjects.ts';
import { DEFAULT_POLICY } from './decide/policy.ts';
import type { Verdict } from './decide/verdict.ts';
import { FACT_NAMES, fact } from './history/facts.ts';
import { replay, type StreamLabel } from './replay.ts';
import { identifyOffline } from './subject/identity.ts';
import { type Subject, transactionSubject } from './subject/subject.ts';

interface Kept {
  readonly subject: Subject;
  readonly facts: Float64Array;
  readonly verdict: Verdict;
}
const keep = (subjects: Iterable<Subject | StreamLabel>): Kept[] =>
  Array.from(replay(DEFAULT_POLICY, subjects), (replayed) => ({ ...replayed, facts: replayed.facts.slice() }));

/** The same request by a user who shares no entity with the others. */
const apart = (request: TransactionRequest, who: number): TransactionRequest => ({
  ...request,
  user_id: `${request.user_id}-${who}`,
  ...(request.ip_address === undefined ? {} : { ip_address: `10.0.${who}.1` }),
  ...(request.device_token === undefined ? {} : { device_token: `${request.device_token}-${who}` }),
  ...(request.email === undefined ? {} : { email: `${request.email}${who}` }),
  ...(request.payment_fingerprint === undefined
    ? {}
    : { payment_fingerprint: `${request.payment_fingerprint}-${who}` }),
  ...(request.counterparty_id === undefined ? {} : { counterparty_id: `${request.counterparty_id}-${who}` }),
});

describe('a replay', () => {
  test('gives the same verdicts and facts every time', () => {
    fc.assert(
      fc.property(anySequence(50), (subjects) => {
        expect(keep(subjects)).toEqual(keep(subjects));
      }),
      { numRuns: 30 },
    );
  });

  test('decides each subject by the subjects before it only', () => {
    fc.assert(
      fc.property(anySequence(40), fc.integer({ min: 0, max: 40 }), (subjects, cut) => {
        expect(keep(subjects).slice(0, cut)).toEqual(keep(subjects.slice(0, cut)));
      }),
      { numRuns: 30 },
    );
  });

  test('of unrelated users does not depend on their interleaving, but for what is usual in the account', () => {
    const ofAccount = FACT_NAMES.flatMap((name, at) => (name.startsWith('account.') ? [at] : []));
    const withoutAccount = (all: Kept[]) =>
      all.map(({ subject, facts }) => ({
        subject,
        facts: facts.map((value, at) => (ofAccount.includes(at) ? 0 : value)),
      }));
    const steps = fc.array(fc.tuple(anyGap, fc.integer({ min: 0, max: 2 }), anyTransaction), upTo(50));
    fc.assert(
      fc.property(steps, (all) => {
        let at = START;
        const mixed = all.map(([gap, who, request]) => {
          at += gap;
          return { who, subject: transactionSubject(identifyOffline, apart(request, who), at) };
        });
        const together = keep(mixed.map(({ subject }) => subject));
        for (const who of [0, 1, 2]) {
          const own = mixed.filter((step) => step.who === who).map(({ subject }) => subject);
          const found = together.filter(({ subject }) => own.some((of) => of === subject));
          expect(withoutAccount(found)).toEqual(withoutAccount(keep(own)));
        }
      }),
      { numRuns: 30 },
    );
  });

  test('counts a label from its position on: earlier subjects ignore it, later ones count it', () => {
    const subjects = times(4, (i) => pay(i * HOUR, { device_token: 'phone' }));
    const { hashes } = subjects[0] as Subject;
    const fraud: StreamLabel = { type: 'label', hashes, fraud: true, at: START + HOUR + 1 };
    const legitimate: StreamLabel = {
      type: 'label',
      hashes,
      fraud: false,
      at: START + 2 * HOUR + 1,
      insteadOf: fraud,
    };
    const history = [...subjects.slice(0, 2), fraud, ...subjects.slice(2, 3), legitimate, ...subjects.slice(3)];
    expect(keep(history).map(({ facts }) => facts[fact('device.known_frauds')])).toEqual([0, 0, 1, 0]);
  });

  test('starts with empty histories each time, and yields nothing for no subjects', () => {
    expect(keep([])).toEqual([]);
  });
});
