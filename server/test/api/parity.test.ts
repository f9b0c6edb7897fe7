import {
  DEFAULT_POLICY,
  decide,
  explain,
  FACT_NAMES,
  type Facts,
  OTHER_FEATURES,
  replay,
  unpackFacts,
  unpackVerdict,
} from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { POLICY, type StoredLabel, type StoredScreening, storedSubject } from '../fixtures/crash-store.ts';
import {
  type Client,
  client,
  type Json,
  makeClock,
  type Reply,
  type Service,
  startService,
} from '../fixtures/harness.ts';
import { historyOf, labelRandomItem } from '../fixtures/label-traffic.ts';
import { isShared } from '../fixtures/shared-store.ts';
import { type Step, traffic } from '../fixtures/traffic.ts';

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
/** Names of the facts that differ in any bit. NaN equals NaN, and 0 differs from -0. */
const differingFacts = (one: Facts, other: Facts): string[] =>
  FACT_NAMES.filter((_, i) => !Object.is(one[i], other[i]));

const expectParity = (rows: readonly Row[], labels: readonly StoredLabel[]): void => {
  let index = 0;
  for (const { facts, verdict } of replay(POLICY, historyOf(rows, labels))) {
    const row = rows[index++] as Row;
    const stored = unpackFacts(row.facts);
    expect([index, differingFacts(stored, facts)]).toEqual([index, []]);
    expect(unpackVerdict(row.verdict)).toEqual(verdict);
    expect(decide(POLICY, storedSubject(row), stored)).toEqual(verdict);
    expect(row.ruleset_version).toBe(DEFAULT_POLICY.version);
  }
  expect(index).toBe(rows.length);
};

/**
 * Posts all steps at the same time. On the shared store it posts one after the other: simultaneous requests may reach Redis
 * in two calls, and the second does not see yet that a payment of the first was large.
 */
const postAll = async (post: Client['post'], steps: readonly Step[]): Promise<Reply[]> => {
  if (!isShared) return Promise.all(steps.map(({ path, body }) => post(path, body)));
  const replies: Reply[] = [];
  for (const { path, body } of steps) replies.push(await post(path, body));
  return replies;
};

/**
 * Labels three items at the same time. On the shared store one after the other: labels of two items that share an
 * address may reach Redis in another order than that of their numbers.
 */
const labelSome = async (api: Client, items: readonly Json[], first: number): Promise<void> => {
  const labels = [0, 1, 2].map((number) => () => labelRandomItem(api, items, first + number));
  if (isShared) for (const label of labels) await label();
  else await Promise.all(labels.map((label) => label()));
};

describe('served decisions', () => {
  test.each([1, 2])(
    'equal, bit for bit, a replay of the stored requests and labels in their order (traffic %d)',
    async (seed) => {
      const clock = makeClock();
      const service = await startService({ clock: clock.now, logLevel: 'silent' });
      const key = await service.key();
      const { post, get } = client(service, key);
      const other = client(service, await service.key({ account: 'other' }));
      const steps = [...traffic(seed, 300)];
      const items: Json[] = [];
      const labelling: Promise<void>[] = [];
      for (let i = 0; i < steps.length; i += 4) {
        const batch = steps.slice(i, i + 4);
        clock.advance(batch[0]?.afterMs ?? 0);
        // Another account screens some of the same requests, which must not affect this account.
        const replies = await postAll(post, batch);
        items.push(...replies.map(({ json }) => json));
        // Earlier items get labels, and other labels later, while the next items are screened.
        const newLabels = labelSome(client(service, key), items, 1000 * i);
        if (i % 3 === 0) await postAll(other.post, batch);
        if (i % 2 === 0) await newLabels;
        labelling.push(newLabels);
        expect(replies.every(({ status }) => status === 200)).toBe(true);
      }
      await Promise.all(labelling);
      const tenants = await service.app.backend.read<{ tenant: number; account: string }>(
        'SELECT tenant, account FROM tenants',
      );
      for (const { tenant, account } of tenants) {
        const rows = await rowsOf(service, tenant);
        expect(rows.length).toBe(account === 'acme' ? 300 : 100);
        const labels = await labelsOf(service, tenant);
        if (account === 'acme') expect(labels.length).toBeGreaterThan(150);
        else expect(labels).toEqual([]);
        expectParity(rows, labels);
      }

      const ownTenant = tenants.find(({ account }) => account === 'acme')?.tenant as number;
      const verdicts = (await rowsOf(service, ownTenant)).map(({ verdict }) => unpackVerdict(verdict));
      const decisions = new Set(verdicts.map(({ decision }) => decision));
      expect([...decisions].sort()).toEqual(['allow', 'block', 'review']);
      const signals = new Set(verdicts.flatMap((verdict) => verdict.signals));
      expect(signals.size).toBeGreaterThan(15);
      expect([...signals].filter((name) => name.startsWith('fraud_on_')).length).toBeGreaterThan(2);

      // Other verdicts get the factors of their features when they are read.
      const last = (await rowsOf(service, ownTenant)).findLast(({ verdict }) =>
        unpackVerdict(verdict).factors.some(({ of, name }) => of === 'feature' && name !== OTHER_FEATURES),
      ) as Row;
      const stored = unpackVerdict(last.verdict);
      expect((await get(`/v1/decisions/dec_${last.id}`)).json).toMatchObject({
        factors: explain(stored, storedSubject(last), unpackFacts(last.facts)),
        model_version: POLICY.model?.version,
        risk_score: stored.score,
      });
    },
  );
});
