import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeFairShares, type ShareLimits } from './fair-shares.ts';

const BODY_BYTES = 100;

/** Shares with a clock and turns that the test controls. Each request takes `costMs` to start and has `bytes` of body. */
const makeWorld = (limits: Partial<ShareLimits> = {}, costMs = 0, bytes = BODY_BYTES) => {
  let time = 0;
  const turns: (() => void)[] = [];
  const started: string[] = [];
  const refused: string[] = [];
  const refusals: string[] = [];
  const ends = new Map<string, () => void>();
  const abandoned = new Set<string>();
  const shares = makeFairShares({
    metrics: { refused: { inc: ({ reason }) => void refusals.push(reason) }, gauge: () => {} },
    limits: { alone: 4, besideOthers: 2, waiting: 1000, waitMs: 2000, ...limits },
    now: () => time,
    inNextTurn: (call) => void turns.push(call),
  });
  onTestFinished(shares.stop);
  const tenantOf = (name: string): number => name.charCodeAt(0);
  return {
    shares,
    started,
    refused,
    refusals,
    abandoned,
    pass: (ms: number): void => {
      time += ms;
    },
    /** Sends a request. Its first letter is its tenant. */
    send: (...names: string[]): void => {
      for (const name of names)
        shares.run(tenantOf(name), {
          bytes,
          start: (end) => {
            started.push(name);
            time += costMs;
            ends.set(name, end);
          },
          refuse: ({ code, headers }) => void refused.push(`${name} ${code} ${headers['Retry-After']}`),
          isAbandoned: () => abandoned.has(name),
        });
    },
    /** Ends a request in progress. */
    end: async (name: string): Promise<void> => {
      ends.get(name)?.();
      ends.delete(name);
      await Promise.resolve();
    },
    inProgress: (): string[] => [...ends.keys()],
    turn: (): void => {
      for (const call of turns.splice(0)) call();
    },
    allTurns: (): void => {
      while (turns.length > 0) turns.shift()?.();
    },
    tenantOf,
  };
};

test('a tenant alone has more requests in progress than one beside others; the rest waits in order', async () => {
  const { send, started, end, allTurns, pass } = makeWorld();
  send('a1', 'a2', 'a3', 'a4', 'a5', 'a6');
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4']);
  send('b1');
  expect(started.at(-1)).toBe('b1');
  // Beside b, a has room for two.
  await end('a1');
  await end('a2');
  allTurns();
  expect(started).toHaveLength(5);
  await end('a3');
  allTurns();
  expect(started.at(-1)).toBe('a5');
  // One second later, a is alone again.
  pass(1000);
  send('a7', 'a8', 'a9');
  await end('a4');
  allTurns();
  expect(started.slice(5)).toEqual(['a5', 'a6', 'a7', 'a8']);
});

test('each turn starts only what fits in a millisecond, one request of each tenant after the other', () => {
  const { send, started, turn } = makeWorld({ besideOthers: 1000, alone: 1000 }, 0.6);
  send('b0');
  turn();
  send('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'b1', 'c1');
  expect(started).toEqual(['b0', 'a1', 'a2']);
  turn();
  expect(started.slice(3)).toEqual(['a3', 'b1']);
  turn();
  expect(started.slice(5)).toEqual(['c1', 'a4']);
});

test.each([
  ['beside others, of small bodies', true, BODY_BYTES, 16],
  ['beside others, of bodies that count four times', true, 3 * 4096, 4],
  ['beside others, of the largest bodies', true, 64 * 1024, 1],
  ['alone, of small bodies', false, BODY_BYTES, 250],
  ['alone, of the largest bodies', false, 64 * 1024, 16],
])('one turn starts a limited number of requests whose work comes later: %s', (_of, isBeside, bytes, most) => {
  const { send, started, turn } = makeWorld({ besideOthers: 1000, alone: 1000 }, 0, bytes);
  if (isBeside) send('b0');
  turn();
  started.length = 0;
  send(...Array.from({ length: 300 }, (_, i) => `a${i}`));
  expect(started).toHaveLength(most);
  turn();
  expect(started).toHaveLength(2 * Math.min(most, 150));
});

test('a tenant alone is not slowed down by turns', () => {
  const { send, started } = makeWorld({ alone: 1000 }, 5);
  send('a1', 'a2', 'a3', 'a4', 'a5');
  expect(started).toHaveLength(5);
});

test('refuses requests of a tenant whose queue is full, before and after their body is read, and of no other', () => {
  const { send, shares, refused, refusals, tenantOf } = makeWorld({ alone: 1, besideOthers: 1, waiting: 2 });
  send('a1', 'a2');
  expect(() => shares.check(tenantOf('a'))).not.toThrow();
  send('a3', 'a4');
  expect(refused).toEqual(['a4 rate_limited 1']);
  expect(() => shares.check(tenantOf('a'))).toThrow(/Too many requests of this account/);
  expect(() => shares.check(tenantOf('b'))).not.toThrow();
  expect(refusals).toEqual(['too_many_waiting', 'too_many_waiting']);
});

test('a request that nobody waits for any more is not started', async () => {
  const { send, started, abandoned, end, allTurns } = makeWorld({ alone: 1 });
  send('a1', 'a2', 'a3');
  abandoned.add('a2');
  await end('a1');
  allTurns();
  expect(started).toEqual(['a1', 'a3']);
});

test('whatever arrives and ends, limits hold, each tenant keeps its order, and nobody waits beside free places', async () => {
  const step = fc.oneof(
    fc.record({ send: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ end: fc.nat(20) }),
    fc.record({ pass: fc.constantFrom(0, 1, 700, 1000) }),
    fc.constant('turn' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const world = makeWorld({ alone: 4, besideOthers: 2 });
      const sent: string[] = [];
      for (const [number, one] of steps.entries()) {
        if (one === 'turn') world.turn();
        else if ('send' in one) {
          sent.push(`${one.send}${number}`);
          world.send(`${one.send}${number}`);
        } else if ('pass' in one) world.pass(one.pass);
        else {
          const running = world.inProgress();
          if (running.length > 0) await world.end(running[one.end % running.length] as string);
        }
        for (const tenant of 'abc') {
          const running = world.inProgress().filter((name) => name.startsWith(tenant)).length;
          expect(running).toBeLessThanOrEqual(4);
        }
      }
      world.allTurns();
      for (const tenant of 'abc') {
        const of = (names: readonly string[]) => names.filter((name) => name.startsWith(tenant));
        expect(of(sent).slice(0, of(world.started).length)).toEqual(of(world.started));
        if (of(world.started).length < of(sent).length) expect(of(world.inProgress()).length).toBeGreaterThanOrEqual(2);
      }
      world.shares.stop();
    }),
  );
});

test('the bodies of waiting requests are limited together, per tenant, and make room when they start or are refused', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const world = makeWorld({ alone: 1, besideOthers: 1, waitingBytes: 2 * BODY_BYTES });
  world.send('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3');
  expect(world.refused).toEqual(['a4 rate_limited 1']);
  expect(() => world.shares.check(world.tenantOf('a'))).toThrow('Too many requests');
  await world.end('a1');
  world.allTurns();
  world.send('a5', 'a6');
  expect(world.refused).toEqual(['a4 rate_limited 1', 'a6 rate_limited 1']);
  world.pass(5000);
  vi.advanceTimersByTime(1000);
  expect(world.refusals.filter((reason) => reason === 'waited_too_long')).toHaveLength(4);
  expect(() => world.shares.check(world.tenantOf('a'))).not.toThrow();
});

test('a tenant alone starts expensive requests for 25 ms in a turn, so that a new tenant is served soon', () => {
  const world = makeWorld({ alone: 100 }, 10);
  world.send('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7');
  expect(world.started).toEqual(['a1', 'a2', 'a3']);
  world.turn();
  expect(world.started).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
  world.send('b1');
  world.turn();
  expect(world.started).toContain('b1');
});
