import { makeRandom } from '@portcullis/engine';
import { makeDevice, type TestDevice, unsignedToken } from './device-tokens.ts';
import { BLOCK_IP, type Client, DAY_MS, HOUR_MS, type Json, MINUTE_MS, REVIEW_IP, START } from './harness.ts';

export interface Step {
  readonly path: '/v1/transactions/screen' | '/v1/events';
  readonly body: Record<string, unknown>;
  /** How far the clock moves before it. */
  readonly afterMs: number;
}

const EVENTS = [
  'login',
  'login',
  'login',
  'signup',
  'password_change',
  'email_change',
  'payment_method_added',
  'payout_request',
  'other',
];

const DEVICES = Array.from({ length: 12 }, (_, i) => makeDevice(`machine ${i % 4}`));

/**
 * Traffic of some sixty users who share devices, addresses, instruments and counterparties, with bursts, pauses, clocks that are
 * set back, long tokens, tokens of the device SDK and several spellings of the same thing. The same seed gives the same traffic, but for the keys of
 * devices, which are new in each process.
 */
export function* traffic(seed: number, count: number): Generator<Step> {
  const random = makeRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const oneOf = <T>(of: readonly T[]): T => of[below(of.length)] as T;
  const often = (chance: number, make: () => unknown): unknown => (random() < chance ? make() : undefined);
  const address = (): string => {
    const host = below(40);
    if (host === 0) return oneOf([REVIEW_IP, BLOCK_IP]);
    if (host < 6) return oneOf([`2001:db8:${host}::7`, `2001:0DB8:${host}:0::0007`]);
    return oneOf([`198.51.${host % 5}.${host}`, `::ffff:198.51.${host % 5}.${host}`]);
  };
  const device = (): string => {
    const kind = below(10);
    if (kind === 0) return `${'long token '.repeat(40)}${below(3)}`;
    return kind < 5 ? sdkToken() : `dvc_${below(25)}`;
  };
  /** Of machines some of which look alike; some tokens come again, some are not kept, not signed, or broken. */
  const sdkToken = (): string => {
    const number = below(12);
    const id = `${100_000 + below(60)}`.padEnd(22, 'A');
    const more = { id, at: START + below(3 * HOUR_MS), automation: below(8) === 0 ? ['webdriver'] : [] };
    const made = below(10);
    if (made === 0) return unsignedToken(`machine ${number % 4}`, more);
    const token = (DEVICES[number] as TestDevice).token({ ...more, kept: made > 2 });
    return made === 1 ? token.slice(0, -3) : token;
  };
  const pause = (): number => {
    const kind = below(20);
    if (kind < 12) return below(4000);
    if (kind < 17) return below(10 * MINUTE_MS);
    if (kind < 19) return below(6 * HOUR_MS);
    return below(3) === 0 ? -below(MINUTE_MS) : below(3 * DAY_MS);
  };
  for (let i = 0; i < count; i++) {
    const common = {
      // A few users are seen often and most are not.
      user_id: `user_${Math.floor(random() ** 2 * 60)}`,
      ip_address: often(0.8, address),
      device_token: often(0.7, device),
      email: often(0.3, () => oneOf([`a${below(30)}@example.com`, `A${below(30)}@Example.com`])),
      metadata: often(0.1, () => ({ order: oneOf(['A-1', '4111111111111111', 'ü']) })),
    };
    const isEvent = random() < 0.35;
    const body = isEvent
      ? { ...common, type: oneOf(EVENTS), outcome: often(0.5, () => oneOf(['succeeded', 'failed', 'failed'])) }
      : {
          ...common,
          amount: oneOf([random() * 4, random() * 100, random() * 5000, 0.1, 1e15, 49.9]),
          currency: oneOf(['EUR', 'usd', 'JPY', 'XXX', 'gbp']),
          payment_method: often(0.5, () => oneOf(['card', 'bank', 'wallet', 'crypto'])),
          payment_fingerprint: often(0.7, () => `pm_${below(40)}`),
          counterparty_id: often(0.6, () => `shop_${below(8)}`),
          billing_address: often(0.3, () => ({ country: oneOf(['DE', 'fr', 'US']), city: 'x' })),
          shipping_address: often(0.2, () => ({ country: oneOf(['DE', 'FR', 'us']) })),
        };
    yield { path: isEvent ? '/v1/events' : '/v1/transactions/screen', body, afterMs: pause() };
  }
}

/** What a screening said, without the ids that differ from run to run. */
export const saidOf = ({ risk_score, decision, signals, screened_at, case_id }: Json) => ({
  risk_score,
  decision,
  signals,
  screened_at,
  hasCase: case_id !== null,
});

/** Sends the steps one after the other, moving the clock, and answers with what was said of each. */
export const play = async (
  { post }: Client,
  clock: { readonly advance: (ms: number) => void },
  steps: Iterable<Step>,
): Promise<unknown[]> => {
  const said: unknown[] = [];
  for (const { path, body, afterMs } of steps) {
    clock.advance(afterMs);
    said.push(saidOf((await post(path, body)).json));
  }
  return said;
};

/** The profiles of everyone in the traffic. */
export const profilesOf = async ({ get }: Client, users: Iterable<unknown>): Promise<unknown[]> => {
  const profiles: unknown[] = [];
  for (const user of users) profiles.push((await get(`/v1/users/${user}/risk-profile`)).json);
  return profiles;
};

export const usersIn = (steps: readonly Step[]): unknown[] =>
  [...new Set(steps.map(({ body }) => body.user_id))].sort();
