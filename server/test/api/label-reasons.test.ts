import { LABEL_REASONS } from '@portcullis/contract';
import { actorKinds, identifyOffline } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { labelEffectOf, makeRestoreSubject, type StoredSubject } from '../../src/backend/journal.ts';
import { isLabel, journalBetween } from '../../src/backend/journal-pages.ts';
import { firstSeqAt } from '../../src/runtime/ids.ts';
import { client, DAY_MS, HOUR_MS, makeClock, payment, START, startService } from '../fixtures/harness.ts';

const restore = makeRestoreSubject(() => identifyOffline);
const clock = makeClock();
const service = await startService({ clock: clock.now });
const api = client(service, await service.key());
const { pay, flagPayment, get, post, put } = api;
const label = (body: Record<string, unknown>, { post: send } = api) =>
  send('/v1/labels', { label: 'fraud', source: 'chargeback', ...body });
const reasonsOf = async (subject: string): Promise<unknown[]> =>
  (await get(`/v1/labels?subject=${subject}`)).json.labels.map(({ reason }: { reason: unknown }) => reason).reverse();

describe('the reason of a fraud', () => {
  test.each(LABEL_REASONS)('can be %s', async (reason) => {
    const { json: paid } = await pay(payment());
    expect((await label({ transaction_id: paid.transaction_id, reason })).json.reason).toBe(reason);
  });

  test('is optional, and null means absent', async () => {
    const { json: paid } = await pay(payment());
    for (const more of [{}, { reason: null }, { label: 'legitimate', reason: null }])
      expect((await label({ transaction_id: paid.transaction_id, ...more })).json.reason).toBeNull();
  });

  test('comes from a rejected case and from an override of block', async () => {
    const held = await flagPayment();
    await put(`/v1/cases/${held.case_id}`, { status: 'rejected', reason: 'mule' });
    const { json: paid } = await pay(payment());
    await post(`/v1/decisions/${paid.decision_id}/review`, { decision: 'block', reason: 'first_party' });
    expect([await reasonsOf(held.transaction_id), await reasonsOf(paid.transaction_id)]).toEqual([
      ['mule'],
      ['first_party'],
    ]);
  });

  test('stays when the fraud is repeated without one, changes with another, and ends with a correction', async () => {
    const { json: paid } = await pay(payment({ user_id: 'reasons' }));
    const frauds: number[] = [];
    const steps = [
      { label: 'fraud' },
      { label: 'fraud', reason: 'takeover' },
      { label: 'fraud' },
      { label: 'fraud', reason: 'mule' },
      { label: 'legitimate' },
      { label: 'legitimate' },
      { label: 'fraud' },
    ];
    for (const step of steps) {
      clock.advance(HOUR_MS);
      await label({ transaction_id: paid.transaction_id, ...step });
      frauds.push((await get('/v1/users/reasons/risk-profile')).json.confirmed_fraud);
    }
    expect(await reasonsOf(paid.transaction_id)).toEqual([null, 'takeover', 'takeover', 'mule', null, null, null]);
    expect(frauds).toEqual([1, 1, 1, 1, 0, 0, 1]);
  });

  test('reaches the histories with each change, from the journal alone', async () => {
    clock.set(START + 200 * DAY_MS);
    const account = client(service, await service.key({ account: 'reasons in the journal' }));
    const { json: paid } = await account.pay(payment());
    const given: [label: string, reason?: string][] = [
      ['fraud'],
      ['fraud', 'takeover'],
      ['fraud'],
      ['legitimate'],
      ['legitimate'],
      ['fraud', 'mule'],
    ];
    for (const [value, reason] of given) {
      clock.advance(HOUR_MS);
      await label({ transaction_id: paid.transaction_id, label: value, reason }, account);
    }
    const from = firstSeqAt(START + 200 * DAY_MS);
    const effects: unknown[] = [];
    const blamed: number[] = [];
    for await (const page of journalBetween(service.app.backend, from, Number.MAX_SAFE_INTEGER))
      for (const row of page.filter(isLabel)) {
        const { subject, facts } = restore(row.tenant, row as StoredSubject);
        effects.push(labelEffectOf(row, { subject, facts }));
        blamed.push(actorKinds(subject, facts, row.reason ?? undefined));
      }
    const [first, fourth, last] = [1, 4, 6].map((hour) => START + 200 * DAY_MS + hour * HOUR_MS);
    const fraud = { fraud: true, at: first, reason: undefined, actors: blamed[0] };
    const takeover = { fraud: true, at: first, reason: 'takeover', actors: blamed[1] };
    const legitimate = { fraud: false, at: fourth, reason: undefined, actors: 0 };
    expect(effects).toEqual([
      { ...fraud, insteadOf: undefined },
      { ...takeover, insteadOf: fraud },
      undefined,
      { ...legitimate, insteadOf: takeover },
      undefined,
      { fraud: true, at: last, reason: 'mule', actors: blamed[5], insteadOf: legitimate },
    ]);
  });
});
