import { DEFAULT_POLICY, decide, FACT_NAMES, type Facts, replay, unpackFacts, unpackVerdict } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { POLICY, type StoredLabel, type StoredScreening, storedSubject } from './crash-store.ts';
import { type Client, client, type Json, makeClock, type Reply, type Service, startService } from './harness.ts';
import { historyOf, say } from './label-traffic.ts';
import { type Step, traffic } from './traffic.ts';

interface Row extends StoredScreening {
  readonly ruleset_version: string;
}
const rowsOf = (service: Service, tenant: number): Promise<Row[]> =>
  service.app.backend.read<Row>(
    'SELECT seq, id, type, screened_at, request, verdict, ruleset_version, facts FROM screenings WHERE tenant = ? ORDER BY seq',
    tenant,
  );
const labelsOf = (service: Service, tenant: number): Promise<StoredLabel[]> =>
  service.app.backend.read<StoredLabel>(
    'SELECT seq, id, screening_seq, label, labelled_at FROM labels WHERE tenant = ? ORDER BY seq',
    tenant,
  );
/** Names of the facts that are not the same to the bit; NaN is the same as NaN, and 0 is not -0. */
const differing = (one: Facts, other: Facts): string[] => FACT_NAMES.filter((_, i) => !Object.is(one[i], other[i]));

const expectParity = (rows: readonly Row[], labels: readonly StoredLabel[]): void => {
  let index = 0;
  for (const { facts, verdict } of replay(POLICY, historyOf(rows, labels))) {
    const row = rows[index++] as Row;
    const stored = unpackFacts(row.facts);
    expect([index, differing(stored, facts)]).toEqual([index, []]);
    expect(unpackVerdict(row.verdict)).toEqual(verdict);
    expect(decide(POLICY, storedSubject(row), stored)).toEqual(verdict);
    expect(row.ruleset_version).toBe(DEFAULT_POLICY.version);
  }
  expect(index).toBe(rows.length);
};

/**
 * All at once, but those with a token of the SDK one by one, behind the others: each is checked for as long as that takes, and what Redis is asked of at the same
 * time in two calls is not yet known to be large.
 */
const postAll = async (post: Client['post'], steps: readonly Step[]): Promise<Reply[]> => {
  const isChecked = ({ body }: Step): boolean => String(body.device_token).startsWith('pcd1.');
  const replies = await Promise.all(steps.filter((step) => !isChecked(step)).map(({ path, body }) => post(path, body)));
  for (const { path, body } of steps.filter(isChecked)) replies.push(await post(path, body));
  return replies;
};

describe('what is served', () => {
  test.each([1, 2])(
    'is what the engine says of the stored requests and labels in their order, to the bit (traffic %d)',
    async (seed) => {
      const clock = makeClock();
      const service = await startService({ clock: clock.now, logLevel: 'silent' });
      const key = await service.key();
      const { post, get } = client(service, key);
      const other = client(service, await service.key({ account: 'other' }));
      const steps = [...traffic(seed, 300)];
      const items: Json[] = [];
      const told: Promise<void>[] = [];
      for (let i = 0; i < steps.length; i += 4) {
        const few = steps.slice(i, i + 4);
        clock.advance(few[0]?.afterMs ?? 0);
        // Some at once, and some of the same in another account, which must not be seen here.
        const replies = await postAll(post, few);
        items.push(...replies.map(({ json }) => json));
        // While the next are screened, what is known of some of before changes, and changes again.
        const telling = [0, 1, 2].map((number) => say(client(service, key), items, 1000 * i + number));
        if (i % 3 === 0) await postAll(other.post, few);
        if (i % 2 === 0) await Promise.all(telling);
        told.push(...telling);
        expect(replies.every(({ status }) => status === 200)).toBe(true);
      }
      await Promise.all(told);
      const tenants = await service.app.backend.read<{ tenant: number; account: string }>(
        'SELECT tenant, account FROM tenants',
      );
      for (const { tenant, account } of tenants) {
        const rows = await rowsOf(service, tenant);
        expect(rows.length).toBe(account === 'acme' ? 300 : 100);
        const labels = await labelsOf(service, tenant);
        expect(labels.length).toBeGreaterThan(account === 'acme' ? 150 : -1);
        expectParity(rows, labels);
      }

      const mine = tenants.find(({ account }) => account === 'acme')?.tenant as number;
      const verdicts = (await rowsOf(service, mine)).map(({ verdict }) => unpackVerdict(verdict));
      const decisions = new Set(verdicts.map(({ decision }) => decision));
      expect([...decisions].sort()).toEqual(['allow', 'block', 'review']);
      const signals = new Set(verdicts.flatMap((verdict) => verdict.signals));
      expect(signals.size).toBeGreaterThan(15);
      expect([...signals].filter((name) => name.startsWith('fraud_on_')).length).toBeGreaterThan(2);

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
