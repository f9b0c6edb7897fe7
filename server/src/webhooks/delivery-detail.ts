import type { Delivery, DeliveryDetail } from '@portcullis/contract';
import type { Seal } from '../secrets/seal.ts';
import type { Attempt, StoredDelivery } from './delivery-store.ts';
import { signedHeaders, signingKey } from './sign.ts';
import { secretContext, type WebhookRow } from './store.ts';

/** The secrets that signed at a time, as far as they are still stored. */
const keysAt = (seal: Seal, row: WebhookRow, at: number) => {
  const { sealed_secret, sealed_previous_secret: previous, previous_until } = row;
  const sealed =
    previous !== null && previous_until !== null && at < previous_until ? [sealed_secret, previous] : [sealed_secret];
  return sealed.map((one) => signingKey(seal.open(one, secretContext(row.id))));
};

/** A delivery with the message as it is sent, and the headers of its last attempt. */
export const detailOf = (seal: Seal, webhook: WebhookRow, row: StoredDelivery, delivery: Delivery): DeliveryDetail => {
  const last = (JSON.parse(row.attempts) as Attempt[]).at(-1);
  return {
    ...delivery,
    body: row.body,
    headers:
      last === undefined ? null : signedHeaders(delivery.message_id, row.body, last.at, keysAt(seal, webhook, last.at)),
  };
};
