import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import {
  BLOCK_IP,
  client,
  HOUR_MS,
  type Json,
  login,
  makeClock,
  payment,
  REVIEW_IP,
  startService,
} from '../fixtures/harness.ts';
import { type Received, startReceiver } from '../fixtures/receiver.ts';

const clock = makeClock();
const receiver = await startReceiver();
const service = await startService({ clock: clock.now, env: { WEBHOOK_CA_FILE: receiver.caFile } });

let accounts = 0;
/** A new account with an endpoint subscribed to the types, and the requests that arrive there. */
const subscribe = async (...events: string[]) => {
  const path = `/account_${accounts++}`;
  const api = client(service, await service.key({ account: `account${path.slice(1)}` }));
  const { json } = await api.post('/v1/webhooks', { url: receiver.url + path, events });
  const arrived = (): Received[] => receiver.received.filter((received) => received.path === path);
  const next = (count = 1): Promise<Received[]> => expect.poll(arrived).toHaveLength(count).then(arrived);
  return { ...api, webhook: json, arrived, next };
};
const messageOf = (received: Received | undefined): Json => JSON.parse(String(received?.body));

const stripe = new Stripe('sk_test_unused');
/** The result of each library for a delivery: the message, or undefined if it refuses the signature. */
const verified = ({ headers, body }: Pick<Received, 'headers' | 'body'>, secret: string) => {
  const attempt = (verify: () => unknown): Json => {
    try {
      return verify();
    } catch {
      return undefined;
    }
  };
  return {
    stripe: attempt(() => stripe.webhooks.constructEvent(body, String(headers['x-service-signature']), secret)),
    standard: attempt(() => new StandardWebhook(secret).verify(String(body), headers as Record<string, string>)),
  };
};

describe('each type is delivered, signed, with the resource as GET returns it', () => {
  const expectDelivered = async (
    { webhook, next }: Awaited<ReturnType<typeof subscribe>>,
    type: string,
    data: unknown,
  ): Promise<void> => {
    const [received] = (await next()) as [Received];
    const message = messageOf(received);
    expect(message).toMatchObject({ type, environment: 'sandbox', api_version: '2026-11-01', data });
    expect(message.data).toEqual(data);
    expect(received.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'webhook-id': message.id,
    });
    expect(verified(received, webhook.signing_secret)).toEqual({ stripe: message, standard: message });
  };

  test('transaction.screened', async () => {
    const of = await subscribe('transaction.screened');
    const { json } = await of.pay(payment());
    await expectDelivered(of, 'transaction.screened', (await of.get(`/v1/transactions/${json.transaction_id}`)).json);
  });
  test('transaction.decision.block', async () => {
    const of = await subscribe('transaction.decision.block');
    await of.pay(payment());
    const { json } = await of.pay(payment({ ip_address: BLOCK_IP }));
    const { json: data } = await of.get(`/v1/transactions/${json.transaction_id}`);
    await expectDelivered(of, 'transaction.decision.block', data);
  });
  test('event.screened', async () => {
    const of = await subscribe('event.screened');
    const { json } = await of.act(login());
    await expectDelivered(of, 'event.screened', (await of.get(`/v1/events/${json.event_id}`)).json);
  });
  test('case.created', async () => {
    const of = await subscribe('case.created');
    const { json } = await of.pay(payment({ ip_address: REVIEW_IP }));
    await expectDelivered(of, 'case.created', (await of.get(`/v1/cases/${json.case_id}`)).json);
  });
  test('case.resolved', async () => {
    const of = await subscribe('case.resolved');
    const { json } = await of.pay(payment({ ip_address: REVIEW_IP }));
    await of.put(`/v1/cases/${json.case_id}`, { status: 'rejected', notes: 'stolen card' });
    await expectDelivered(of, 'case.resolved', (await of.get(`/v1/cases/${json.case_id}`)).json);
  });
  test('case.expired, once, when the case expires', async () => {
    const of = await subscribe('case.expired');
    const { json } = await of.pay(payment({ ip_address: REVIEW_IP }));
    clock.advance(7 * 24 * HOUR_MS);
    const { json: data } = await of.get(`/v1/cases/${json.case_id}`);
    expect(data.status).toBe('expired');
    await expectDelivered(of, 'case.expired', data);
    clock.advance(HOUR_MS);
    await of.post(`/v1/webhooks/${of.webhook.webhook_id}/test`, undefined);
    const types = (await of.next(2)).map((received) => messageOf(received).type);
    expect(types).toEqual(['case.expired', 'webhook.test']);
  });
  test('decision.reviewed', async () => {
    const of = await subscribe('decision.reviewed');
    const { json } = await of.pay(payment());
    await of.post(`/v1/decisions/${json.decision_id}/review`, { decision: 'block' });
    await expectDelivered(of, 'decision.reviewed', (await of.get(`/v1/decisions/${json.decision_id}`)).json);
  });
  test('webhook.test, whatever types the endpoint subscribed to', async () => {
    const of = await subscribe('case.created');
    const reply = await of.post(`/v1/webhooks/${of.webhook.webhook_id}/test`, undefined);
    expect(reply.status).toBe(202);
    expect(reply.json).toMatchObject({ type: 'webhook.test', status: 'owed', attempts: [] });
    const [received] = await of.next();
    expect(received?.headers['webhook-id']).toBe(reply.json.message_id);
    await expectDelivered(of, 'webhook.test', (await of.get(`/v1/webhooks/${of.webhook.webhook_id}`)).json);
  });
});

describe('a signature', () => {
  test('is the HMAC of the contract', async () => {
    const of = await subscribe('transaction.screened');
    await of.pay(payment());
    const [{ headers, body }] = (await of.next()) as [Received];
    const [, time, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-service-signature'])) as string[];
    expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60);
    expect(hex).toBe(createHmac('sha256', of.webhook.signing_secret).update(`${time}.${body}`).digest('hex'));
    expect(headers['webhook-timestamp']).toBe(time);
  });

  test('is refused by both libraries after a change of the body, the time or the secret', async () => {
    const of = await subscribe('transaction.screened');
    await of.pay(payment());
    const [{ headers, body }] = (await of.next()) as [Received];
    const { signing_secret: secret } = of.webhook;
    const refused = { stripe: undefined, standard: undefined };
    for (let at = 0; at < body.length; at += 7) {
      const changed = Buffer.from(body);
      changed[at] = (changed[at] as number) ^ 1;
      expect(verified({ headers, body: changed }, secret)).toEqual(refused);
    }
    const swap = (text: unknown, from: RegExp, to: string) => String(text).replace(from, to);
    const later = String(Number(headers['webhook-timestamp']) + 1);
    const forged = {
      ...headers,
      'x-service-signature': swap(headers['x-service-signature'], /^t=\d+/, `t=${later}`),
      'webhook-timestamp': later,
    };
    expect(verified({ headers: forged, body }, secret)).toEqual(refused);
    const other = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
    expect(verified({ headers, body }, other)).toEqual(refused);
  });

  test('is also made with the old secret for 24 hours after a rotation', async () => {
    const of = await subscribe('transaction.screened');
    clock.set(Date.now());
    const rotated = await of.post(`/v1/webhooks/${of.webhook.webhook_id}/rotate-secret`, undefined);
    expect(rotated.status).toBe(200);
    expect(rotated.json.signing_secret).not.toBe(of.webhook.signing_secret);
    const until = new Date(clock.now() + 24 * HOUR_MS).toISOString();
    const untilNow = async () => (await of.get(`/v1/webhooks/${of.webhook.webhook_id}`)).json.previous_secret_until;
    expect([rotated.json.previous_secret_until, await untilNow()]).toEqual([until, until]);
    await of.pay(payment());
    const [received] = (await of.next()) as [Received];
    for (const secret of [of.webhook.signing_secret, rotated.json.signing_secret]) {
      expect(verified(received, secret)).toEqual({ stripe: messageOf(received), standard: messageOf(received) });
    }
    // A rotation 25 hours ago: the worker compares the stored end of the old secret at each attempt.
    clock.set(Date.now() - 25 * HOUR_MS);
    const again = await of.post(`/v1/webhooks/${of.webhook.webhook_id}/rotate-secret`, undefined);
    await of.pay(payment());
    const late = (await of.next(2))[1] as Received;
    expect(verified(late, again.json.signing_secret)).toEqual({ stripe: messageOf(late), standard: messageOf(late) });
    expect(verified(late, rotated.json.signing_secret)).toEqual({ stripe: undefined, standard: undefined });
    clock.set(Date.now());
    expect(await untilNow()).toBeNull();
  });
});
