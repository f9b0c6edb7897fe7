import { MEASURED_MEMBERS } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { makeRandom } from '../fixtures/crash-random.ts';
import { rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import {
  type Client,
  client,
  DAY_MS,
  HOUR_MS,
  iso,
  type Json,
  makeClock,
  payment,
  startService,
} from '../fixtures/harness.ts';
import { dumpProjection, dumpRebuilt } from '../fixtures/projection-dump.ts';
import { queryOf, untilSearched } from '../fixtures/searched.ts';
import { type Known, makeItems, usdOf } from '../fixtures/searched-world.ts';

const ITEMS = rounds(120, 2000);
const QUERIES = rounds(40, 1000);
/** Most time between two items: some hours are empty, and the items cover several days. */
const GAP_MS = 90 * 60_000;

const timeOf = ({ result }: Known): number => Date.parse(result.screened_at);
const sumUsd = (items: readonly Known[]): number =>
  items.reduce((cents, item) => cents + Math.round((usdOf(item) ?? 0) * 100), 0) / 100;
const labelled = (items: readonly Known[], value: string): Known[] => items.filter(({ label }) => label === value);

const figures = (items: readonly Known[]) => ({
  items: items.length,
  amount_usd: sumUsd(items),
  fraud: labelled(items, 'fraud').length,
  legitimate: labelled(items, 'legitimate').length,
  fraud_usd: sumUsd(labelled(items, 'fraud')),
});

/** The screening's own decision, which a review does not change. */
const decided = (items: readonly Known[], decision: string): Known[] =>
  items.filter(({ result }) => result.decision === decision);
const decisionFigures = (items: readonly Known[]) => {
  const { items: _, ...rest } = figures(items);
  const held = items.filter(({ result }) => result.decision !== 'allow');
  return {
    allow: decided(items, 'allow').length,
    review: decided(items, 'review').length,
    block: decided(items, 'block').length,
    ...rest,
    held_usd: sumUsd(held),
    saved_usd: sumUsd(labelled(held, 'fraud')),
  };
};

/** Figures by value, the most items first. */
const grouped = <Name extends string>(name: Name, items: readonly Known[], valuesOf: (item: Known) => Json[]) => {
  const values = [...new Set(items.flatMap(valuesOf))];
  return values
    .map((value) => ({ [name]: value, ...figures(items.filter((item) => valuesOf(item).includes(value))) }))
    .sort((a: Json, b: Json) => b.items - a.items || ((a[name] ?? '') < (b[name] ?? '') ? -1 : 1));
};

interface Asked {
  readonly from: number;
  readonly until: number;
  readonly step: string;
  readonly type: string | undefined;
}
const within = (items: readonly Known[], { from, until, type }: Asked, stepMs: number): Known[] => {
  const [first, end] = [Math.floor(from / stepMs) * stepMs, Math.ceil(until / stepMs) * stepMs];
  return items.filter(
    (item) =>
      timeOf(item) >= first &&
      timeOf(item) < end &&
      (type === undefined || (item.isEvent ? 'event' : 'transaction') === type),
  );
};

/** Compares every statistic of a range with a recount. */
const compare = async (api: Client, items: readonly Known[], rule: string, asked: Asked): Promise<void> => {
  const { step, type } = asked;
  const range = {
    from: iso(asked.from),
    until: iso(asked.until),
    ...(type === undefined ? {} : { type }),
  };
  const get = async (path: string, more: object = {}): Promise<Json> => {
    const { status, json } = await api.get(`/v1/stats/${path}?${queryOf({ ...range, ...more })}`);
    expect([status, json.error]).toEqual([200, undefined]);
    return json;
  };
  const stepMs = step === '1h' ? HOUR_MS : DAY_MS;
  const decisions = await get('decisions', { step });
  const counted = within(items, asked, stepMs);
  expect([asked, decisions.totals]).toEqual([asked, decisionFigures(counted)]);
  for (const { at, ...point } of decisions.points) {
    const start = Date.parse(at);
    expect(point).toEqual(
      decisionFigures(counted.filter((item) => timeOf(item) >= start && timeOf(item) < start + stepMs)),
    );
  }
  const ofHours = within(items, asked, HOUR_MS);
  expect((await get('scores')).scores).toEqual(
    Array.from({ length: 101 }, (_, score) => ({
      score,
      ...figures(ofHours.filter(({ result }) => result.risk_score === score)),
    })),
  );
  expect((await get('signals')).signals).toEqual(grouped('signal', ofHours, ({ result }) => result.signals));
  expect((await get('countries')).countries).toEqual(grouped('country', ofHours, ({ country }) => [country]));
  const matched = ({ isEvent, request }: Known): string[] => (!isEvent && request.amount > 500 ? [rule] : []);
  expect((await get('rules')).rules).toEqual(grouped('rule_id', ofHours, matched));
};

/** The shares of the last 24 hours, and of the hour that has begun. */
const naiveMembers = (items: readonly Known[], now: number): Json[] => {
  const from = Math.floor(now / HOUR_MS) * HOUR_MS - DAY_MS;
  return Object.entries(MEASURED_MEMBERS).flatMap(([type, names]) => {
    const sent = items.filter((item) => timeOf(item) >= from && item.isEvent === (type === 'event'));
    return names.map((name) => ({
      ...{ type, name, requests: sent.length },
      share: sent.length === 0 ? null : sent.filter(({ request }) => request[name] !== undefined).length / sent.length,
    }));
  });
};

test(
  `statistics of ${QUERIES} random ranges equal a recount, and those after a rebuild (seed ${SEED})`,
  async () => {
    const random = makeRandom(SEED);
    const clock = makeClock();
    const service = await startService({ clock: clock.now });
    const globex = client(service, await service.key({ account: 'globex' }));
    await globex.pay(payment());
    const { api, rule, items } = await makeItems(service, clock, random, ITEMS, GAP_MS);
    await globex.flagPayment();
    await untilSearched(api, clock);
    expect(labelled(decided(items, 'review'), 'fraud').length).toBeGreaterThan(0);
    const [oldest, newest] = [timeOf(items.at(-1) as Known), timeOf(items[0] as Known)];
    expect(newest - oldest).toBeGreaterThan(2 * DAY_MS);

    await compare(api, items, rule, { from: oldest, until: newest + 1, step: '1h', type: undefined });
    for (let query = 0; query < QUERIES; query++) {
      const times = [0, 1].map(() => oldest + random.below(newest - oldest)).sort((a, b) => a - b);
      const [from, until] = times as [number, number];
      const type = random.pick([undefined, 'transaction', 'event']);
      await compare(api, items, rule, { from, until, step: random.pick(['1h', '1d']), type });
    }

    const { members } = (await api.get('/v1/stats/service')).json;
    expect(members).toEqual(naiveMembers(items, clock.now()));
    expect(members.some(({ share }: Json) => share > 0 && share < 1)).toBe(true);

    await service.stop();
    const written = await dumpProjection(service.dataDir);
    expect(written.sums.length).toBeGreaterThan(100);
    expect(await dumpRebuilt(service.dataDir)).toEqual(written);
  },
  timeoutMs(240_000),
);
