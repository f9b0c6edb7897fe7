import { describe, expect, test } from 'vitest';
import { client, type Json, payment, REVIEW_IP, type Reply, startService } from './harness.ts';

const service = await startService();
const { pay, get, put, post } = client(service, await service.key());
await post('/v1/webhooks', { url: 'https://receiver.invalid', events: ['case.resolved', 'decision.reviewed'] });
const flagged = async (): Promise<Json> => (await pay(payment({ ip_address: REVIEW_IP }))).json;
const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const owed = async (type: string, id: string): Promise<Json[]> => {
  const rows = await service.app.backend.read<{ body: string }>('SELECT body FROM deliveries WHERE type = ?', type);
  return rows.map(({ body }) => JSON.parse(body).data).filter((data: Json) => data.decision_id === id);
};

describe('20 resolutions of one case at once', () => {
  test.each([1, 2, 3])('one gets 200 and nineteen get 409, and the case is as the one said (round %d)', async () => {
    const screened = await flagged();
    const replies = await times(20, (i) =>
      put(`/v1/cases/${screened.case_id}`, { status: i % 2 ? 'approved' : 'rejected', analyst_id: `analyst_${i}` }),
    );
    const won = replies.filter(({ status }) => status === 200);
    const lost = replies.filter(({ status }) => status === 409);
    expect([won.length, lost.length]).toEqual([1, 19]);
    const winner = (won[0] as Reply).json;
    for (const { json } of lost) {
      expect(json.error.code).toBe('case_not_open');
      expect(json.error.message).toContain(winner.status);
    }
    expect((await get(`/v1/cases/${screened.case_id}`)).json).toEqual(winner);
    const { reviews } = (await get(`/v1/decisions/${screened.decision_id}`)).json;
    expect(reviews).toMatchObject([{ analyst_id: winner.analyst_id }]);
    expect(await owed('case.resolved', screened.decision_id)).toEqual([winner]);
  });
});

describe('20 reviews of one decision at once', () => {
  test('all are kept, each once, and the last is in force', async () => {
    const { json: screened } = await pay(payment());
    const replies = await times(20, (i) =>
      post(`/v1/decisions/${screened.decision_id}/review`, { decision: i % 2 ? 'allow' : 'block', analyst_id: `${i}` }),
    );
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    const { reviews, decision } = (await get(`/v1/decisions/${screened.decision_id}`)).json;
    expect(reviews.map((of: Json) => Number(of.analyst_id)).sort((a: number, b: number) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i),
    );
    expect(decision).toBe(reviews.at(-1).decision);
    // Each answer is a state the decision was in: its reviews are the first of the final list.
    for (const { json } of replies) expect(json.reviews).toEqual(reviews.slice(0, json.reviews.length));
    expect(new Set(replies.map(({ json }) => json.reviews.length)).size).toBe(20);
    expect(await owed('decision.reviewed', screened.decision_id)).toHaveLength(20);
  });
});

describe('10 resolutions and 10 reviews at once', () => {
  test.each([1, 2, 3])(
    'leave one resolution of the case, and a review for each act that was taken (round %d)',
    async () => {
      const screened = await flagged();
      const replies = await times(20, (i) => {
        const analyst_id = `analyst_${i}`;
        return i % 2
          ? put(`/v1/cases/${screened.case_id}`, { status: i % 4 === 1 ? 'approved' : 'rejected', analyst_id })
          : post(`/v1/decisions/${screened.decision_id}/review`, { decision: i % 4 ? 'allow' : 'block', analyst_id });
      });
      const puts = replies.filter((_, i) => i % 2);
      const posts = replies.filter((_, i) => i % 2 === 0);
      expect(posts.map(({ status }) => status)).toEqual(Array(10).fill(200));
      const won = puts.filter(({ status }) => status === 200);
      expect(won.length).toBeLessThanOrEqual(1);
      expect(puts.filter(({ status }) => status === 409).length).toBe(10 - won.length);

      const { reviews, decision } = (await get(`/v1/decisions/${screened.decision_id}`)).json;
      expect(reviews).toHaveLength(10 + won.length);
      expect(new Set(reviews.map((of: Json) => of.analyst_id)).size).toBe(reviews.length);
      expect(decision).toBe(reviews.at(-1).decision);
      // The first act of all resolved the case, whichever way it came.
      const resolved = (await get(`/v1/cases/${screened.case_id}`)).json;
      expect([resolved.analyst_id, resolved.status]).toEqual([
        reviews[0].analyst_id,
        reviews[0].decision === 'allow' ? 'approved' : 'rejected',
      ]);
      expect(await owed('case.resolved', screened.decision_id)).toEqual([resolved]);
      expect(await owed('decision.reviewed', screened.decision_id)).toHaveLength(10);
    },
  );
});

describe('screenings at once', () => {
  test('each is counted once, and each sees those before it', async () => {
    const body = payment({ user_id: 'all_at_once', amount: 100, currency: 'USD' });
    const replies = await times(50, () => pay(body));
    expect(new Set(replies.map(({ json }) => json.transaction_id)).size).toBe(50);
    const { transactions, velocity } = (await get('/v1/users/all_at_once/risk-profile')).json;
    expect([transactions.count, transactions.total_by_currency]).toEqual([50, { USD: 5000 }]);
    expect(velocity['1h']).toEqual({ count: 50, amount: 5000 });
    const quick = replies.filter(({ json }) => json.signals.includes('velocity_spike')).length;
    expect(quick).toBe(46);
  });
});
