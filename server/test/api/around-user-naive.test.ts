import { networkOf } from '@portcullis/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeRandom } from '../fixtures/crash-random.ts';
import { rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import { type Client, type Json, makeClock, type Reply, startService } from '../fixtures/harness.ts';
import { queryOf } from '../fixtures/searched.ts';
import { type Known, makeItems, naive, usdOf } from '../fixtures/searched-world.ts';

const ITEMS = rounds(80, 250);
const clock = makeClock();
let api: Client;
let items: Known[];

beforeAll(async () => {
  const service = await startService({ clock: clock.now });
  ({ api, items } = await makeItems(service, clock, makeRandom(SEED), ITEMS));
}, timeoutMs(240_000));

type NameOf = (item: Known) => string | undefined;
const LINKED: Record<string, NameOf> = {
  device: ({ request }) => request.device_token,
  ip_address: ({ request }) => request.ip_address,
  email: ({ request }) => request.email,
  payment_fingerprint: ({ request }) => request.payment_fingerprint,
  counterparty: ({ request }) => request.counterparty_id,
};
const userOf = ({ request }: Known): string => `user:${request.user_id}`;
const entitiesOf = (item: Known): string[] =>
  Object.entries(LINKED).flatMap(([kind, nameOf]) => (nameOf(item) === undefined ? [] : [`${kind}:${nameOf(item)}`]));
const hasNode = (item: Known, id: string): boolean => userOf(item) === id || entitiesOf(item).includes(id);

/** The nodes within a number of hops, by their distance. */
const naiveNodes = (start: string, hops: number): Map<string, number> => {
  const found = new Map([[start, 0]]);
  for (let distance = 1; distance <= hops; distance++)
    for (const [id] of [...found].filter(([, at]) => at === distance - 1))
      for (const item of items.filter((one) => hasNode(one, id)))
        for (const next of id.startsWith('user:') ? entitiesOf(item) : [userOf(item)])
          if (!found.has(next)) found.set(next, distance);
  return found;
};

/** On a busy machine a search may end at its time limit. It is complete when it is repeated. */
const linksOf = async (of: string, hops: number, tries = 20): Promise<Reply> => {
  const reply = await api.get(`/v1/links?${queryOf({ of, hops, limit: 150 })}`);
  return tries > 0 && reply.json.cut?.includes('time') ? linksOf(of, hops, tries - 1) : reply;
};

describe(`over ${ITEMS} random items (seed ${SEED})`, () => {
  test.each([1, 2])('links of %i hops are those of a naive graph', async (hops) => {
    const [newest] = items as [Known];
    for (const start of [userOf(newest), ...new Set(items.slice(0, 5).flatMap(entitiesOf))]) {
      const { status, json } = await linksOf(start, hops);
      expect([start, status, json.cut]).toEqual([start, 200, []]);
      const expected = naiveNodes(start, hops);
      expect(json.nodes[0].id).toBe(start);
      expect(new Map(json.nodes.map((node: Json) => [node.id, node.hops]))).toEqual(expected);
      for (const node of json.nodes) {
        const of = items.filter((item) => hasNode(item, node.id));
        expect(node).toMatchObject({
          items: of.length,
          users: new Set(of.map(userOf)).size,
          confirmed_fraud: of.filter(({ label }) => label === 'fraud').length,
          first_seen_at: of.at(-1)?.result.screened_at,
          last_seen_at: of[0]?.result.screened_at,
          hub: false,
        });
      }
      for (const { from, to, items: shared } of json.edges)
        expect([from, to, shared]).toEqual([
          from,
          to,
          items.filter((one) => hasNode(one, from) && hasNode(one, to)).length,
        ]);
      const pairs = new Set(items.flatMap((item) => entitiesOf(item).map((entity) => `${userOf(item)} ${entity}`)));
      const inside = [...pairs].filter((pair) => pair.split(' ').every((id) => expected.has(id)));
      expect(new Set(json.edges.map(({ from, to }: Json) => `${from} ${to}`))).toEqual(new Set(inside));
    }
  });

  test('an entity has the figures of a naive count', async () => {
    const named: [string, NameOf][] = [
      ...Object.entries(LINKED),
      ['user', ({ request }) => request.user_id],
      ['network', ({ request }) => request.ip_address && networkOf(request.ip_address)],
      ['email_domain', ({ request }) => request.email?.split('@')[1]],
    ];
    for (const [kind, nameOf] of named)
      for (const value of new Set(items.slice(0, 20).map(nameOf))) {
        if (value === undefined) continue;
        const of = items.filter((item) => nameOf(item) === value);
        const decided = (decision: string): number => of.filter((item) => item.decision === decision).length;
        const { json } = await api.get(`/v1/entities/${kind}/${encodeURIComponent(value)}`);
        expect(json).toMatchObject({
          ...{ kind, value, items: of.length, users: new Set(of.map(userOf)).size, lists: [] },
          first_seen_at: of.at(-1)?.result.screened_at,
          last_seen_at: of[0]?.result.screened_at,
          by_decision: { allow: decided('allow'), review: decided('review'), block: decided('block') },
          confirmed_fraud: of.filter(({ label }) => label === 'fraud').length,
        });
        expect(json.amount_usd).toBeCloseTo(
          of.reduce((sum, item) => sum + (usdOf(item) ?? 0), 0),
          1,
        );
      }
  });

  test('the series of a user adds up to a naive count of each hour', async () => {
    for (const user_id of new Set(items.map(({ request }) => request.user_id))) {
      const of = naive(items, { user_id });
      const from = of.at(-1)?.result.screened_at;
      const { json } = await api.get(`/v1/users/${user_id}/series?${queryOf({ step: '1h', from })}`);
      const hours = Map.groupBy(of, ({ result }) => `${result.screened_at.slice(0, 13)}:00:00.000Z`);
      expect(json.points.filter((point: Json) => point.items > 0).map((point: Json) => point.at)).toEqual(
        [...hours.keys()].sort(),
      );
      for (const point of json.points) {
        const inHour = hours.get(point.at) ?? [];
        const scores = inHour.map(({ result }) => result.risk_score);
        expect(point).toMatchObject({
          items: inHour.length,
          max_score: scores.length === 0 ? null : Math.max(...scores),
          block: inHour.filter(({ decision }) => decision === 'block').length,
          fraud: inHour.filter(({ label }) => label === 'fraud').length,
        });
      }
      expect(json.cut).toBe(false);
    }
  });

  test('what is usual for a user is what a naive count says', async () => {
    for (const user_id of new Set(items.map(({ request }) => request.user_id))) {
      const of = naive(items, { user_id });
      const { json } = await api.get(`/v1/users/${user_id}/usual`);
      const amounts = of.flatMap((item) => usdOf(item) ?? []).sort((a, b) => a - b);
      const share = (part: number): number =>
        Math.round((amounts[Math.ceil(amounts.length * part) - 1] as number) * 100) / 100;
      expect(json).toMatchObject({
        user_id,
        items: of.length,
        first_seen_at: of.at(-1)?.result.screened_at,
        last_seen_at: of[0]?.result.screened_at,
        amount_usd: amounts.length === 0 ? null : { p10: share(0.1), p50: share(0.5), p90: share(0.9), max: share(1) },
      });
      expect(json.hours.reduce((sum: number, count: number) => sum + count)).toBe(of.length);
      const counts = (nameOf: NameOf) =>
        new Map([...Map.groupBy(of.filter(nameOf), nameOf)].map(([value, with_]) => [value, with_.length]));
      const listed = (field: string) => new Map(json[field].map(({ value, items: count }: Json) => [value, count]));
      expect(listed('countries')).toEqual(counts(({ country }) => country ?? undefined));
      expect(listed('currencies')).toEqual(counts(({ request }) => request.currency));
      expect(listed('devices')).toEqual(counts(({ request }) => request.device_token));
      expect(listed('networks')).toEqual(counts(({ request }) => request.ip_address && networkOf(request.ip_address)));
      expect(listed('payment_fingerprints')).toEqual(counts(({ request }) => request.payment_fingerprint));
      expect(listed('counterparties')).toEqual(counts(({ request }) => request.counterparty_id));
    }
  });

  test('a timeline has every item of the user, and the labels and reviews that apply, also in pages of one', async () => {
    for (const user_id of new Set(items.map(({ request }) => request.user_id))) {
      const whole = (await api.get(`/v1/users/${user_id}/timeline?limit=100`)).json;
      const of = naive(items, { user_id });
      const ids = (kinds: string[]) =>
        whole.entries.filter(({ kind }: Json) => kinds.includes(kind)).map(({ subject_id }: Json) => subject_id);
      const idOf = ({ result }: Known): string => result.transaction_id ?? result.event_id;
      expect(ids(['transaction', 'event'])).toEqual(of.map(idOf));
      expect(new Set(ids(['label', 'review']))).toEqual(new Set(of.filter(({ label }) => label !== null).map(idOf)));
      const paged: Json[] = [];
      for (let before: string | null = null; ; ) {
        const page: Json = (
          await api.get(`/v1/users/${user_id}/timeline?limit=1${before === null ? '' : `&before=${before}`}`)
        ).json;
        paged.push(...page.entries);
        if (!page.has_more) break;
        before = page.next_before;
      }
      expect(paged).toEqual(whole.entries);
    }
  });
});
