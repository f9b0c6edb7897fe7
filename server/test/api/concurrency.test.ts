import { describe, expect, test } from 'vitest';
import { atOnce, client, type Json, payment, type Reply, startService } from '../fixtures/harness.ts';

const service = await startService();
const { pay, flagPayment, get, put, post } = client(service, await service.key());
await post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.resolved', 'decision.reviewed'] });
/** Data of the webhooks to deliver about a decision. */
const webhooksAbout = async (type: string, id: string): Promise<Json[]> => {
  const rows = await service.app.backend.read<{ body: string }>('SELECT body FROM deliveries WHERE type = ?', type);
  return rows.map(({ body }) => JSON.parse(body).data).filter((data: Json) => data.decision_id === id);
};

describe('20 simultaneous resolutions of one case', () => {
  test.each([1, 2, 3])('one gets 200 and takes effect, and nineteen get 409 (round %d)', async () => {
    const screened = await flagPayment();
    const replies = await atOnce(20, (i) =>
      put(`/v1/cases/${screened.case_id}`, { status: i % 2 ? 'approved' : 'rejected', analyst_id: `analyst_${i}` }),
    );
    const accepted = replies.filter(({ status }) => status === 200);
    const refused = replies.filter(({ status }) => status === 409);
    expect([accepted.length, refused.length]).toEqual([1, 19]);
    const resolved = (accepted[0] as Reply).json;
    for (const { json } of refused) {
      expect(json.error.code).toBe('case_not_open');
      expect(json.error.message).toContain(resolved.status);
    }
    expect((await get(`/v1/cases/${screened.case_id}`)).json).toEqual(resolved);
    const { reviews } = (await get(`/v1/decisions/${screened.decision_id}`)).json;
    expect(reviews).toMatchObject([{ analyst_id: resolved.analyst_id }]);
    expect(await webhooksAbout('case.resolved', screened.decision_id)).toEqual([resolved]);
  });
});

describe('20 simultaneous reviews of one decision', () => {
  test('all are stored once, and the last one is effective', async () => {
    const { json: screened } = await pay(payment());
    const replies = await atOnce(20, (i) =>
      post(`/v1/decisions/${screened.decision_id}/review`, { decision: i % 2 ? 'allow' : 'block', analyst_id: `${i}` }),
    );
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    const { reviews, decision } = (await get(`/v1/decisions/${screened.decision_id}`)).json;
    expect(reviews.map((of: Json) => Number(of.analyst_id)).sort((a: number, b: number) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i),
    );
    expect(decision).toBe(reviews.at(-1).decision);
    // Each response shows one state of the decision: its reviews are a prefix of the final list.
    for (const { json } of replies) expect(json.reviews).toEqual(reviews.slice(0, json.reviews.length));
    expect(new Set(replies.map(({ json }) => json.reviews.length)).size).toBe(20);
    expect(await webhooksAbout('decision.reviewed', screened.decision_id)).toHaveLength(20);
  });
});

describe('10 resolutions and 10 reviews at the same time', () => {
  test.each([1, 2, 3])('resolve the case once and store a review for each accepted request (round %d)', async () => {
    const screened = await flagPayment();
    const replies = await atOnce(20, (i) => {
      const analyst_id = `analyst_${i}`;
      return i % 2
        ? put(`/v1/cases/${screened.case_id}`, { status: i % 4 === 1 ? 'approved' : 'rejected', analyst_id })
        : post(`/v1/decisions/${screened.decision_id}/review`, { decision: i % 4 ? 'allow' : 'block', analyst_id });
    });
    const puts = replies.filter((_, i) => i % 2);
    const posts = replies.filter((_, i) => i % 2 === 0);
    expect(posts.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const accepted = puts.filter(({ status }) => status === 200);
    expect(accepted.length).toBeLessThanOrEqual(1);
    expect(puts.filter(({ status }) => status === 409).length).toBe(10 - accepted.length);

    const { reviews, decision } = (await get(`/v1/decisions/${screened.decision_id}`)).json;
    expect(reviews).toHaveLength(10 + accepted.length);
    expect(new Set(reviews.map((of: Json) => of.analyst_id)).size).toBe(reviews.length);
    expect(decision).toBe(reviews.at(-1).decision);
    // The first of all requests resolved the case, be it a resolution or a review.
    const resolved = (await get(`/v1/cases/${screened.case_id}`)).json;
    expect([resolved.analyst_id, resolved.status]).toEqual([
      reviews[0].analyst_id,
      reviews[0].decision === 'allow' ? 'approved' : 'rejected',
    ]);
    expect(await webhooksAbout('case.resolved', screened.decision_id)).toEqual([resolved]);
    expect(await webhooksAbout('decision.reviewed', screened.decision_id)).toHaveLength(10);
  });
});

describe('50 simultaneous screenings of one user', () => {
  test('each is counted once, and each sees the ones before it', async () => {
    const body = payment({ user_id: 'all_at_once', amount: 100, currency: 'USD' });
    const replies = await atOnce(50, () => pay(body));
    expect(new Set(replies.map(({ json }) => json.transaction_id)).size).toBe(50);
    const { transactions, velocity } = (await get('/v1/users/all_at_once/risk-profile')).json;
    expect([transactions.count, transactions.total_by_currency]).toEqual([50, { USD: 5000 }]);
    expect(velocity['1h']).toEqual({ count: 50, amount: 5000 });
    const spikes = replies.filter(({ json }) => json.signals.includes('velocity_spike')).length;
    expect(spikes).toBe(46);
  });
});
