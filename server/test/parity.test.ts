import { DEFAULT_POLICY, decide, FACT_NAMES, type Facts, replay, unpackFacts, unpackVerdict } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { POLICY, storedSubject } from './crash-store.ts';
import { client, makeClock, type Service, startService } from './harness.ts';
import { traffic } from './traffic.ts';

interface Row {
  readonly type: 'transaction' | 'event';
  readonly screened_at: number;
  readonly request: string;
  readonly verdict: string;
  readonly ruleset_version: string;
  readonly facts: Uint8Array;
}
const rowsOf = (service: Service, tenant: number): Promise<Row[]> =>
  service.app.backend.read<Row>(
    'SELECT type, screened_at, request, verdict, ruleset_version, facts FROM screenings WHERE tenant = ? ORDER BY seq',
    tenant,
  );
/** Names of the facts that are not the same to the bit; NaN is the same as NaN, and 0 is not -0. */
const differing = (one: Facts, other: Facts): string[] => FACT_NAMES.filter((_, i) => !Object.is(one[i], other[i]));

const expectParity = (rows: readonly Row[]): void => {
  let index = 0;
  for (const { facts, verdict } of replay(POLICY, rows.map(storedSubject))) {
    const row = rows[index++] as Row;
    const stored = unpackFacts(row.facts);
    expect([index, differing(stored, facts)]).toEqual([index, []]);
    expect(unpackVerdict(row.verdict)).toEqual(verdict);
    expect(decide(POLICY, storedSubject(row), stored)).toEqual(verdict);
    expect(row.ruleset_version).toBe(DEFAULT_POLICY.version);
  }
  expect(index).toBe(rows.length);
};

describe('what is served', () => {
  test.each([1, 2])(
    'is what the engine says of the stored requests in their order, to the bit (traffic %d)',
    async (seed) => {
      const clock = makeClock();
      const service = await startService({ clock: clock.now, logLevel: 'silent' });
      const key = await service.key();
      const { post, get } = client(service, key);
      const other = client(service, await service.key({ account: 'other' }));
      const steps = [...traffic(seed, 300)];
      for (let i = 0; i < steps.length; i += 4) {
        const few = steps.slice(i, i + 4);
        clock.advance(few[0]?.afterMs ?? 0);
        // Some at once, and some of the same in another account, which must not be seen here.
        const replies = await Promise.all(few.map(({ path, body }) => post(path, body)));
        if (i % 3 === 0) await Promise.all(few.map(({ path, body }) => other.post(path, body)));
        expect(replies.every(({ status }) => status === 200)).toBe(true);
      }
      const tenants = await service.app.backend.read<{ tenant: number; account: string }>(
        'SELECT tenant, account FROM tenants',
      );
      for (const { tenant, account } of tenants) {
        const rows = await rowsOf(service, tenant);
        expect(rows.length).toBe(account === 'acme' ? 300 : 100);
        expectParity(rows);
      }

      const mine = tenants.find(({ account }) => account === 'acme')?.tenant as number;
      const verdicts = (await rowsOf(service, mine)).map(({ verdict }) => unpackVerdict(verdict));
      const decisions = new Set(verdicts.map(({ decision }) => decision));
      expect([...decisions].sort()).toEqual(['allow', 'block', 'review']);
      expect(new Set(verdicts.flatMap(({ signals }) => signals)).size).toBeGreaterThan(15);

      const [row] = await service.app.backend.read<{ id: string; verdict: string }>(
        'SELECT id, verdict FROM screenings WHERE tenant = ? ORDER BY seq DESC LIMIT 1',
        mine,
      );
      const stored = unpackVerdict(row?.verdict ?? '');
      expect((await get(`/v1/decisions/dec_${row?.id}`)).json).toMatchObject({
        factors: stored.factors.map(({ of, name, contribution }) => ({ [of]: name, contribution })),
        model_version: POLICY.model?.version,
        risk_score: stored.score,
      });
    },
  );
});
