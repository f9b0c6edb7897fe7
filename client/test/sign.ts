import { createHmac } from 'node:crypto';

export const SECRET = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('base64')}`;
export const OTHER_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Time of the tests' signatures, in seconds since 1970. */
export const SENT = 1_794_650_000;

export const MESSAGE = {
  id: 'msg_01m7fd5wf0e06aha3rmwgyvgq1',
  type: 'transaction.screened',
  timestamp: '2026-11-14T09:30:00.000Z',
  environment: 'sandbox',
  api_version: '2026-11-01',
  data: { transaction_id: 'txn_01m7fd5wf0e06aha3rmwgyvgq1', user_id: 'Zoë' },
};
export const BODY = JSON.stringify(MESSAGE);

const hmac = (key: string | Buffer, prefix: string, body: string | Uint8Array) =>
  createHmac('sha256', key).update(prefix).update(body);

export type Signed = Record<'x-service-signature' | 'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

/** The signed headers of a delivery. Written from the specification, independently of the code under test. */
export const signed = (
  body: string | Uint8Array,
  {
    id = MESSAGE.id,
    at = SENT,
    secrets = [SECRET],
  }: { id?: string; at?: number | string; secrets?: readonly string[] } = {},
): Signed => {
  const v1 = secrets.map((secret) => `v1=${hmac(secret, `${at}.`, body).digest('hex')}`);
  const standard = secrets.map(
    (secret) =>
      `v1,${hmac(Buffer.from(secret.slice('whsec_'.length), 'base64'), `${id}.${at}.`, body).digest('base64')}`,
  );
  return {
    'x-service-signature': [`t=${at}`, ...v1].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': standard.join(' '),
  };
};
