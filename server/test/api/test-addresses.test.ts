import { describe, expect, test } from 'vitest';
import { BLOCK_IP, client, type Json, login, payment, REVIEW_IP, startService } from '../fixtures/harness.ts';

const service = await startService();

describe.each(['sandbox', 'production'] as const)('in %s', async (environment) => {
  const { pay, act, get } = client(service, await service.key({ environment }));

  test.each([
    [REVIEW_IP, 'review'],
    [BLOCK_IP, 'block'],
    [`::ffff:${REVIEW_IP}`, 'review'],
    ['::ffff:cb00:7103', 'block'],
  ])('%s always gets %s, with the signal test_address', async (ip_address, decision) => {
    for (const { json } of [await pay(payment({ ip_address })), await act(login({ ip_address }))]) {
      expect(json.decision).toBe(decision);
      expect(json.signals).toContain('test_address');
      expect(json.case_id === null).toBe(decision === 'block');
    }
  });

  test('test addresses also decide for a user with many active signals', async () => {
    const smallPayment = () =>
      payment({
        user_id: 'card_tester',
        amount: 1,
        payment_fingerprint: `pm_${Math.random()}`,
        device_token: `d${Math.random()}`,
      });
    for (let i = 0; i < 10; i++) await pay(smallPayment());
    expect((await pay(smallPayment())).json.decision).toBe('block');
    const { json } = await pay({ ...smallPayment(), ip_address: REVIEW_IP });
    expect(json.decision).toBe('review');
    expect(json.signals).toEqual(expect.arrayContaining(['test_address', 'card_testing_pattern']));
    expect((await pay({ ...smallPayment(), ip_address: BLOCK_IP })).json.decision).toBe('block');
  });

  test.each(['203.0.113.0', '203.0.113.1', '203.0.113.4', '203.0.113.255', '203.0.112.2', '2.113.0.203'])(
    '%s is not a test address',
    async (ip_address) => {
      const { json } = await pay(payment({ ip_address }));
      expect(json.decision).toBe('allow');
      expect(json.signals).not.toContain('test_address');
    },
  );

  test('the built-in list is readable, and no entry allows', async () => {
    const { json } = await get('/v1/lists');
    const list = json.lists.find(({ list_id }: Json) => list_id === 'test_addresses');
    expect(list).toMatchObject({
      description: expect.any(String),
      built_in: true,
      entry_count: 2,
      entries: [
        { ip_address: REVIEW_IP, decision: 'review' },
        { ip_address: BLOCK_IP, decision: 'block' },
      ],
    });
    expect((await get('/v1/lists/test_addresses')).json).toEqual(list);
  });
});
