import { beforeAll, expect, test } from 'vitest';
import { type Client, client, type Json, makeClock, payment, startService } from '../fixtures/harness.ts';
import { untilSearched } from '../fixtures/searched.ts';

const clock = makeClock();
let api: Client;

const OTHERS = Array.from({ length: 45 }, (_, at) => ({ user_id: `user_${at}`, amount: at + 1 }));
const COUNTED = 1000;
const AT_ONCE = 50;

beforeAll(async () => {
  const service = await startService({ clock: clock.now });
  api = client(service, await service.key());
  const pay = async (user_id: string, amount: number): Promise<void> => {
    expect((await api.pay(payment({ user_id, amount, currency: 'USD' }))).status).toBe(200);
  };
  await pay('busy', 999_999);
  for (let done = 0; done < COUNTED; done += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => pay('busy', 2)));
  for (const { user_id, amount } of OTHERS) await pay(user_id, amount);
  await untilSearched(api, clock);
}, 240_000);

test('every user of a large page has the figures of their own items', async () => {
  const { users } = (await api.get('/v1/users?limit=100')).json;
  const found = users.map(({ user_id, items, amount_usd }: Json) => ({ user_id, items, amount_usd }));
  expect(found).toEqual([
    ...OTHERS.map(({ user_id, amount }) => ({ user_id, items: 1, amount_usd: amount })).reverse(),
    { user_id: 'busy', items: COUNTED, amount_usd: 2 * COUNTED },
  ]);
});
