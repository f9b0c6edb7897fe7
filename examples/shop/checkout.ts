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
/** `paid`: charge and send. `held`: charge nothing until a person has looked. `declined`: neither. */
export type Outcome = 'paid' | 'held' | 'declined';

const OUTCOMES = { allow: 'paid', review: 'held', block: 'declined' } as const;

/** What becomes of an order. Asked again for the same order, Portcullis gives the same answer and counts nothing twice. */
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
    // A member that is wrong is the buyer's or our own mistake, and would be refused again; the order waits as well.
    const faults = error.details.map(({ field, message }) => `; ${field} ${message}`).join('');
    console.error(`order ${order.id}: not screened, ${error.code} ${error.requestId ?? ''}${faults}`);
    // The sale is not lost, and nothing leaves the house unscreened.
    return 'held';
  }
};
