import { type Client, DAY_MS, type Json, START } from './harness.ts';

const AT_ONCE = 16;
const inBatches = async <T, R>(items: readonly T[], work: (item: T, at: number) => Promise<R>): Promise<R[]> => {
  const done: R[] = [];
  for (let i = 0; i < items.length; i += AT_ONCE)
    done.push(...(await Promise.all(items.slice(i, i + AT_ONCE).map((item, j) => work(item, i + j)))));
  return done;
};

const PRODUCTS = ['book', 'toy', 'food', 'game', 'shoe', 'gift_card'];
const USERS = 200;
/** Forty days at a shop where gift cards, and nothing else, turn out to be bought with stolen cards: enough to learn from, and easy to learn. */
export const sellGiftCards = async (api: Client, setClock: (at: number) => void): Promise<void> => {
  const products = Array.from({ length: 2 * USERS }, (_, i) => PRODUCTS[i % PRODUCTS.length]);
  const screened = await inBatches(products, async (product, i) => {
    setClock(START - 40 * DAY_MS * (1 - i / products.length));
    const user = i % USERS;
    const { json } = await api.pay({
      user_id: `user_${user}`,
      amount: 20 + ((7 * i) % 60),
      currency: 'EUR',
      ip_address: `198.51.100.${user}`,
      device_token: `device_${user}`,
      metadata: { product },
    });
    return { product, json };
  });
  setClock(START);
  await inBatches(
    screened.filter(({ product }) => product === 'gift_card'),
    ({ json }: Json) =>
      api.post('/v1/labels', { transaction_id: json.transaction_id, label: 'fraud', source: 'chargeback' }),
  );
};
