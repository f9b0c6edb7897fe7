import {
  DEFAULT_POLICY,
  decide,
  ENTITY_KINDS,
  FACTS_VERSION,
  type Facts,
  fact,
  type Identify,
  type IdentitiesOf,
  kindIndex,
  makeFacts,
  packFacts,
  packVerdict,
  transactionSubject,
} from '@portcullis/engine';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/backend/embedded/store.ts';
import type { ScreeningRow } from '../../src/backend/journal.ts';
import { makeIds, seqOf } from '../../src/runtime/ids.ts';
import { insertScreening } from '../../src/screening/store.ts';
import { countOne } from '../fixtures/count-one.ts';
import { rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import { makeFolder } from '../fixtures/harness.ts';
import { copyAsCrashed } from '../fixtures/records.ts';
import { isShared } from '../fixtures/shared-store.ts';

/**
 * Identities with keys of two bits, and with the same checks for every tenant. So nearly every key belongs to several
 * names, kinds and tenants, as it does by chance once in 2⁵³ cases.
 */
const makeTwins = (): IdentitiesOf => {
  const checks = new Map<string, number>();
  const identify: Identify = (kind, name, keysOut, checksOut) => {
    const entity = `${kind} ${name}`;
    if (!checks.has(entity)) checks.set(entity, checks.size);
    checksOut[kind] = checks.get(entity) as number;
    keysOut[kind] = 1 + ((checks.get(entity) as number) % 4);
  };
  return () => identify;
};

interface Step {
  readonly tenant: number;
  readonly user: number;
  readonly device: number;
  readonly shop: number;
  readonly next: 'continue' | 'save' | 'restart' | 'crash';
}
const step: fc.Arbitrary<Step> = fc.record({
  tenant: fc.integer({ min: 1, max: 3 }),
  user: fc.nat(7),
  device: fc.nat(7),
  shop: fc.nat(3),
  next: fc.oneof(
    { weight: 20, arbitrary: fc.constant('continue' as const) },
    { weight: 2, arbitrary: fc.constant('save' as const) },
    { weight: 1, arbitrary: fc.constantFrom('restart' as const, 'crash' as const) },
  ),
});

const ACTIONS = ENTITY_KINDS.map((kind) => fact(`${kind}.actions`));

/** A store that counts payments, restarts and crashes. */
const makeWorld = (identities: IdentitiesOf) => {
  const errors: string[] = [];
  const open = (directory: string) =>
    openSqlite({ directory, identities, cacheBytes: 3000, onError: (message) => void errors.push(message) });
  let directory = makeFolder();
  let store = open(directory);
  let now = Date.UTC(2026, 10, 1);
  const newId = makeIds(() => now);
  const untilSaved = async (): Promise<void> => {
    while (store.counters.stats().unsaved > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return {
    errors,
    close: () => store.backend.close(),
    pay: async (tenant: number, request: { user_id: string; device_token: string; counterparty_id: string }) => {
      now += 60_000;
      const subject = transactionSubject(identities(tenant), { amount: 20, currency: 'EUR', ...request }, now);
      const id = newId();
      let seen: Facts = makeFacts();
      const { stored } = await countOne(store.counters, tenant, subject, seqOf(id), (facts) => {
        seen = facts.slice();
        const verdict = decide(DEFAULT_POLICY, subject, facts);
        const row: ScreeningRow = {
          id,
          type: 'transaction',
          screened_at: now,
          request: JSON.stringify(subject.request),
          verdict: packVerdict(verdict),
          ruleset_version: '1',
          facts_version: FACTS_VERSION,
          facts: packFacts(facts),
          imported: 0,
        };
        return { verdict, stored: store.backend.write([insertScreening(tenant, row)]) };
      });
      await stored;
      return seen;
    },
    count: (tenant: number, user: string): number =>
      store.counters.user(tenant, user, now, makeFacts())?.transactions ?? 0,
    next: async (what: Step['next']): Promise<void> => {
      if (what === 'continue') return;
      if (what === 'save') return untilSaved();
      if (what === 'crash') {
        // The files as they are now, whatever is not saved yet.
        const copy = copyAsCrashed(directory);
        await store.backend.close();
        directory = copy;
      } else await store.backend.close();
      store = open(directory);
    },
  };
};

describe.skipIf(isShared)('entities with equal keys', () => {
  test(
    'never share or lose a history, also across eviction, restart and crash',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), async (steps) => {
          const world = makeWorld(makeTwins());
          const counts = new Map<string, number>();
          try {
            for (const { tenant, user, device, shop, next } of steps) {
              const names = { user: `u${user}`, device: `d${device}`, counterparty: `s${shop}` };
              const facts = await world.pay(tenant, {
                user_id: names.user,
                device_token: names.device,
                counterparty_id: names.counterparty,
              });
              for (const [kind, name] of Object.entries(names)) {
                const id = `${tenant} ${kind} ${name}`;
                const seen = facts[ACTIONS[kindIndex[kind as keyof typeof names]] as number];
                expect(seen, id).toBe(counts.get(id) ?? 0);
                counts.set(id, (counts.get(id) ?? 0) + 1);
              }
              await world.next(next);
            }
            for (let tenant = 1; tenant <= 3; tenant++)
              for (let user = 0; user < 8; user++)
                expect(world.count(tenant, `u${user}`)).toBe(counts.get(`${tenant} user u${user}`) ?? 0);
            expect(world.errors).toEqual([]);
          } finally {
            await world.close();
          }
        }),
        { seed: SEED, numRuns: rounds(2, 100), endOnFailure: true },
      );
    },
    timeoutMs(30_000),
  );
});
