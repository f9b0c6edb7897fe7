import type { Client } from 'pg';
import { expect } from 'vitest';
import { newFolder, SANDBOX_KEY, type Server, serve } from './crash-process.ts';
import { makeRandom } from './crash-random.ts';
import type { Json } from './harness.ts';

export interface Replied {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Json;
}

/** Asks a process of the fleet. Rejects where no answer came. */
export const ask = async (
  { url }: Server,
  method: string,
  path: string,
  body?: unknown,
  more: { key?: string; headers?: Record<string, string> } = {},
): Promise<Replied> => {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${more.key ?? SANDBOX_KEY}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : text };
};

export type Name = 'one' | 'two' | 'worker';

/** Two processes that answer callers and a worker, started at once on one store. */
export const startFleet = async (env: Record<string, string>) => {
  const start = (name: Name): Promise<Server> =>
    serve(newFolder(), { LOG_LEVEL: 'warn', TRAIN_DAILY: 'off', ...env, ROLE: name === 'worker' ? 'worker' : 'api' });
  const [one, two, worker] = await Promise.all([start('one'), start('two'), start('worker')]);
  const fleet: Record<Name, Server> = { one, two, worker };
  return {
    fleet,
    /** As a machine that lost power would; another takes its place. */
    kill: async (name: Name): Promise<void> => {
      fleet[name].kill('SIGKILL');
      await fleet[name].exited;
      fleet[name] = await start(name);
    },
    /** Every one must end as it should. */
    stop: async (): Promise<void> => {
      const all = Object.values(fleet);
      for (const { kill } of all) kill('SIGTERM');
      expect((await Promise.all(all.map(({ exited }) => exited))).map(({ code }) => code)).toEqual([0, 0, 0]);
    },
  };
};
export type Fleet = Awaited<ReturnType<typeof startFleet>>;

export interface Acknowledged {
  readonly order: string;
  readonly id: string;
}

/** What callers were told while things went wrong. */
export interface Told {
  readonly screened: readonly Acknowledged[];
  /** Ids of labels. */
  readonly labelled: readonly string[];
  readonly statuses: Readonly<Record<number, number>>;
  readonly dropped: number;
}

/** Each gives up on a process that does not answer: a restart must not wait for them. */
const CALLERS = 6;
const USERS = 40;

/**
 * Callers that ask now one process and now the other, each request under a key of its own, until `act` is done. One that got no answer or a 503 is sent again
 * under the same key, as callers are told to, until it has one.
 */
export const underLoad = async ({ fleet }: Fleet, seed: number, act: () => Promise<void>): Promise<Told> => {
  const random = makeRandom(seed);
  const screened: Acknowledged[] = [];
  const labelled: string[] = [];
  const statuses: Record<number, number> = {};
  let [dropped, orders, isOver] = [0, 0, false];

  const insist = async (path: string, body: unknown, key: string): Promise<Replied | undefined> => {
    for (;;) {
      try {
        const replied = await ask(fleet[random.pick(['one', 'two'] as const)], 'POST', path, body, {
          headers: { 'Idempotency-Key': key },
        });
        statuses[replied.status] = (statuses[replied.status] ?? 0) + 1;
        if (replied.status !== 503) return replied;
        expect(Number(replied.headers.get('retry-after'))).toBeGreaterThan(0);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        dropped++;
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  const caller = async (): Promise<void> => {
    while (!isOver) {
      const order = `order ${seed} ${orders++}`;
      const user = random.below(USERS);
      const body = {
        user_id: `user_${user}`,
        amount: random.between(100, 90_000) / 100,
        currency: 'EUR',
        ip_address: `198.51.100.${user}`,
        metadata: { order },
      };
      const replied = await insist('/v1/transactions/screen', body, order);
      if (replied?.status !== 200) continue;
      const id = replied.json.transaction_id as string;
      screened.push({ order, id });
      if (!random.chance(0.2)) continue;
      const label = { transaction_id: id, label: random.chance(0.5) ? 'fraud' : 'legitimate', source: 'chargeback' };
      const said = await insist('/v1/labels', label, `label of ${order}`);
      if (said?.status === 201) labelled.push(said.json.label_id);
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  try {
    await act();
  } finally {
    isOver = true;
    await callers;
  }
  return { screened, labelled, statuses, dropped };
};

/** What was acknowledged is stored, each order once. */
export const expectStored = async (database: Client, { screened, labelled }: Told): Promise<void> => {
  const { rows: items } = await database.query<{ id: string; request: string }>('SELECT id, request FROM screenings');
  const { rows: labels } = await database.query<{ id: string }>('SELECT id FROM labels');
  const idsByOrder = Map.groupBy(items, ({ request }) => JSON.parse(request).metadata?.order);
  for (const { order, id } of screened) expect(idsByOrder.get(order)?.map((row) => `txn_${row.id}`)).toEqual([id]);
  const stored = new Set(labels.map(({ id }) => `lbl_${id}`));
  expect(labelled.filter((id) => !stored.has(id))).toEqual([]);
};
