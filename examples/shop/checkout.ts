import { createClient, PortcullisError } from '@portcullis/client';

const portcullis = createClient({
  url: process.env.PORTCULLIS_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.PORTCULLIS_KEY ?? '',
});

export interface Order {
  readonly id: string;
  readonly item: string;
  readonly amount: number;
  readonly currency: string;
}
export interface Buyer {
  readonly customer: string;
  readonly email: string | undefined;
  readonly ipAddress: string | undefined;
  readonly deviceToken: string | undefined;
}
/** `paid`: charge and ship. `held`: wait for the review. `declined`: neither. */
export type Outcome = 'paid' | 'held' | 'declined';

const OUTCOMES = { allow: 'paid', review: 'held', block: 'declined' } as const;

/** Screens an order. For the same order Portcullis returns the same response and counts it once. */
export const decide = async (order: Order, buyer: Buyer): Promise<Outcome> => {
  try {
    const { decision, transaction_id, signals } = await portcullis.transactions.screen(
      {
        user_id: buyer.customer,
        amount: order.amount,
        currency: order.currency,
        payment_method: 'card',
        email: buyer.email,
        ip_address: buyer.ipAddress,
        device_token: buyer.deviceToken,
        metadata: { order_id: order.id, item: order.item },
      },
      { idempotencyKey: `order-${order.id}` },
    );
    console.log(`order ${order.id}: ${decision} ${transaction_id} [${signals.join(', ')}]`);
    return OUTCOMES[decision];
  } catch (error) {
    if (!(error instanceof PortcullisError)) throw error;
    // An invalid field would be refused again on a retry, so the order is held as well.
    const errors = error.details.map(({ field, message }) => `; ${field} ${message}`).join('');
    console.error(`order ${order.id}: not screened, ${error.code} ${error.requestId ?? ''}${errors}`);
    // The sale is not lost, and no unscreened order is shipped.
    return 'held';
  }
};
