import { type Answer, type Connection, Dropped, encode, openConnection } from './crash-connection.ts';
import { SANDBOX_KEY, type Server } from './crash-process.ts';
import type { Random } from './crash-random.ts';
import { BLOCK_IP, REVIEW_IP } from './harness.ts';

/** A screening that was asked for. `order` is in its metadata and in that of no other. */
export interface Asked {
  readonly order: string;
  readonly userId: string;
  readonly path: '/v1/transactions/screen' | '/v1/events';
  readonly body: string;
  readonly idempotencyKey: string | undefined;
}

/** One that was answered before the process was killed. */
export interface Acknowledged extends Asked {
  readonly text: string;
}

const REGULARS = 60;
const USERS = 2000;
const EVENTS = ['login', 'login', 'password_change', 'payment_method_added', 'signup'] as const;

/**
 * Some of it from few users, so that screenings meet histories that others left, and most from many, so that more histories
 * change in a moment than are written to disk in one.
 */
export const makeTraffic = (random: Random) => {
  let orders = 0;
  return (): Asked => {
    const order = `order-${++orders}`;
    const user = random.below(random.chance(0.25) ? REGULARS : USERS);
    const userId = `user_${user}`;
    const forced = random.chance(0.12) ? REVIEW_IP : random.chance(0.1) ? BLOCK_IP : undefined;
    const common = {
      user_id: userId,
      ip_address: forced ?? `198.51.${user % 8}.${random.below(20)}`,
      device_token: `device_${random.chance(0.9) ? user : random.below(REGULARS)}`,
      email: `user${user}@example.com`,
      metadata: { order },
    };
    const isEvent = random.chance(0.25);
    const body = isEvent
      ? { ...common, type: random.pick(EVENTS), outcome: random.chance(0.3) ? 'failed' : 'succeeded' }
      : {
          ...common,
          amount: random.between(100, 90_000) / 100,
          currency: random.pick(['EUR', 'USD', 'GBP']),
          payment_fingerprint: `card_${random.chance(0.9) ? user : random.below(REGULARS)}`,
          counterparty_id: `shop_${random.below(10)}`,
        };
    return {
      order,
      userId,
      path: isEvent ? '/v1/events' : '/v1/transactions/screen',
      body: JSON.stringify(body),
      idempotencyKey: random.chance(0.3) ? `key of ${order}` : undefined,
    };
  };
};

export const encodeAsked = ({ path, body, idempotencyKey }: Asked): string => {
  const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
  return encode({ method: 'POST', path, key: SANDBOX_KEY, body, headers });
};

export interface Loaded {
  readonly acknowledged: readonly Acknowledged[];
  /** Labels of them that were answered, as they were. */
  readonly labelled: readonly string[];
  /** Sent, and the connection ended before an answer was there: stored or not, nobody can know. */
  readonly unanswered: readonly Asked[];
  /** Answers other than 200. */
  readonly refused: readonly Answer[];
}

export interface LoadOptions {
  readonly connections: number;
  readonly next: () => Asked;
  readonly pauseMs: () => number;
  /** What is said of an item that was screened before; undefined when nothing is. */
  readonly label?: (screened: readonly Acknowledged[]) => string | undefined;
  /** Told of every answer. */
  readonly onAnswer?: (count: number) => void;
  /** Asked before each request; without it the load ends when the server does. */
  readonly isOver?: () => boolean;
}

/** Callers that each wait for the answer and then ask again, until the server is gone or the load is over. */
export const load = async (server: Server, options: LoadOptions): Promise<Loaded> => {
  const acknowledged: Acknowledged[] = [];
  const labelled: string[] = [];
  const unanswered: Asked[] = [];
  const refused: Answer[] = [];

  const sayMore = async (connection: Connection): Promise<void> => {
    const body = options.label?.(acknowledged);
    if (body === undefined) return;
    const answer = await connection.send(encode({ method: 'POST', path: '/v1/labels', key: SANDBOX_KEY, body }));
    if (answer.status === 201) labelled.push(answer.text);
    else refused.push(answer);
  };

  const caller = async (): Promise<void> => {
    const connection = openConnection(server.port);
    while (connection.isOpen() && !options.isOver?.()) {
      const asked = options.next();
      try {
        const answer = await connection.send(encodeAsked(asked));
        if (answer.status === 200) acknowledged.push({ ...asked, text: answer.text });
        else refused.push(answer);
        options.onAnswer?.(acknowledged.length + refused.length);
      } catch (error) {
        if (!(error instanceof Dropped)) throw error;
        unanswered.push(asked);
      }
      // Stored or not when no answer came: what is in the store tells.
      await sayMore(connection).catch((error: unknown) => {
        if (!(error instanceof Dropped)) throw error;
      });
      await new Promise((done) => setTimeout(done, options.pauseMs()));
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: options.connections }, caller));
  return { acknowledged, labelled, unanswered, refused };
};

/** Says of every third item or so what it was, now this and now that, so that much of what is said takes something back. */
export const makeLabelling =
  (random: Random) =>
  (screened: readonly Acknowledged[]): string | undefined => {
    if (screened.length === 0 || random.chance(0.7)) return undefined;
    const { transaction_id, event_id } = JSON.parse(random.pick(screened.slice(-40)).text);
    const id = event_id === undefined ? { transaction_id } : { event_id };
    return JSON.stringify({ ...id, label: random.chance(0.6) ? 'fraud' : 'legitimate', source: 'chargeback' });
  };
