import { afterAll, describe, expect, test } from 'vitest';
import { createClient } from '../client/src/index.ts';
import { forgedResponse, makeFaultyProxy } from '../client/test/faulty-proxy.ts';
import { BLOCK_IP, REVIEW_IP, startService } from '../server/test/fixtures/harness.ts';
import { startExample } from './example-process.ts';

const service = await startService();
const proxy = await makeFaultyProxy(service.url);
const key = await service.key({ role: 'service' });
const shop = await startExample('shop/shop.ts', {
  PORTCULLIS_URL: proxy.url,
  PORTCULLIS_PUBLIC_URL: service.url,
  PORTCULLIS_KEY: key,
  BEHIND_PROXY: '1',
});
afterAll(() => shop.stop());
const portcullis = createClient({ url: service.url, apiKey: key });

/** Loads the page as a browser does. `pay` submits its form. */
const load = async () => {
  const response = await fetch(shop.url);
  const html = await response.text();
  const order = /data-order="([\w-]+)"/.exec(html)?.[1] as string;
  const pay = (body: object, from = '198.51.100.24') =>
    shop.post(`/orders/${order}`, { item: 'kettle', customer: `user_${order}`, ...body }, { 'x-forwarded-for': from });
  return { html, headers: response.headers, customer: `user_${order}`, pay };
};

describe('the example shop', () => {
  test('has a page that loads the SDK, and a policy that allows no other script', async () => {
    const { html, headers } = await load();
    expect(html).toContain(`<script src="${service.url}/sdk/device.js" async>`);
    expect(headers.get('content-security-policy')).toContain(`script-src 'self' ${service.url};`);
    expect(html).not.toMatch(/<script>|<script [^>]*>[^<]|\son\w+=/);
    const sources = [...html.matchAll(/<script src="([^"]+)"/g)].map(
      ([, source]) => new URL(source as string, shop.url),
    );
    for (const source of sources) expect((await fetch(source)).headers.get('content-type')).toContain('javascript');
    expect(await (await fetch(`${shop.url}/checkout.js`)).text()).toContain('Portcullis?.getDeviceToken()');
  });

  test('accepts an allowed payment, and sends customer, address and device', async () => {
    const { customer, pay } = await load();
    expect(await pay({ device_token: 'dvc_1' })).toMatchObject({ status: 200, json: { outcome: 'paid' } });
    expect(await portcullis.users.getRiskProfile(customer)).toMatchObject({
      transactions: { count: 1, total_by_currency: { EUR: 49.9 } },
      devices: [{ device_token: 'dvc_1' }],
      ip_addresses: [{ ip_address: '198.51.100.24' }],
    });
  });

  test('holds a review and declines a block', async () => {
    expect((await (await load()).pay({}, REVIEW_IP)).json).toEqual({ outcome: 'held' });
    expect((await (await load()).pay({}, BLOCK_IP)).json).toEqual({ outcome: 'declined' });
  });

  test('decides an order once, even if the button is pressed twice or a response is lost', async () => {
    const { customer, pay } = await load();
    proxy.next('lose', 'half');
    const responses = await Promise.all([pay({}), pay({}), pay({})]);
    expect(responses.map(({ json }) => json.outcome)).toEqual(['paid', 'paid', 'paid']);
    expect((await portcullis.users.getRiskProfile(customer)).transactions.count).toBe(1);
  });

  test('holds the order, and logs it, when Portcullis does not respond', async () => {
    proxy.next(...Array.from({ length: 4 }, () => forgedResponse('502 Bad Gateway')));
    expect((await (await load()).pay({})).json).toEqual({ outcome: 'held' });
    await shop.printed(/^order \S+: not screened, invalid_response/m);
    proxy.next();
    expect((await (await load()).pay({ email: 'no address' })).json).toEqual({ outcome: 'held' });
    await shop.printed(/^order \S+: not screened, invalid_request \S+; email must be/m);
  });

  test('uses its own prices, and refuses a missing customer or an unknown item', async () => {
    const { customer, pay } = await load();
    expect((await pay({ customer: '' })).status).toBe(400);
    expect((await pay({ item: 'toString' })).status).toBe(400);
    expect((await pay({ item: 'tea', amount: 0.01 })).json).toEqual({ outcome: 'paid' });
    expect((await portcullis.users.getRiskProfile(customer)).transactions.total_by_currency).toEqual({ EUR: 7.5 });
    expect((await shop.post('/orders/unknown', { item: 'tea', customer })).status).toBe(404);
  });
});
