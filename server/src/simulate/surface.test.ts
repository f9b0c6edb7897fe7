import { describe, expect, test } from 'vitest';
import { FREE_DOMAINS, THROW_AWAY_DOMAINS } from './names.ts';
import { HOSTING } from './networks.ts';
import { randomWorlds, type SimulatedItem, simulate, WORLDS } from './simulate.ts';

/**
 * Whatever one item shows by itself, without what came before it. None of it may tell fraud from the rest by how the simulator was built: a
 * model that found such a mark would learn it instead of fraud.
 */
const shapeOf = (id: string): string => id.replace(/[0-9a-z]+/gi, (run) => (/^\d+$/.test(run) ? '9' : 'a'));
const centsOf = (amount: number): string => {
  const cents = String(Math.round(amount * 100) % 100);
  return ['0', '99', '50', '95', '45'].includes(cents) ? cents : 'other';
};
const networkOf = (ip: string | undefined): string | undefined => {
  if (ip === undefined) return undefined;
  if (ip.includes(':')) return 'IPv6';
  const address = ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const isHosted = HOSTING.some((prefixes) =>
    prefixes.some(({ first, size }) => address >= first && address < first + size),
  );
  return isHosted ? 'hosting' : 'consumer';
};
const COMMON_DOMAINS = new Set([...FREE_DOMAINS, ...THROW_AWAY_DOMAINS]);

const SURFACE: Readonly<Record<string, (item: SimulatedItem) => string | undefined>> = {
  members: (item) =>
    Object.keys(item)
      .filter((name) => name !== 'attack')
      .join(),
  user_id: (item) => shapeOf(item.user_id),
  'user_id length': (item) => String(item.user_id.length),
  device_token: (item) => item.device_token && `${shapeOf(item.device_token)} ${item.device_token.length}`,
  payment_fingerprint: (item) =>
    item.kind === 'transaction' && item.payment_fingerprint ? shapeOf(item.payment_fingerprint) : undefined,
  counterparty_id: (item) =>
    item.kind === 'transaction' && item.counterparty_id ? shapeOf(item.counterparty_id) : undefined,
  payment_method: (item) => (item.kind === 'transaction' ? item.payment_method : undefined),
  currency: (item) => (item.kind === 'transaction' ? item.currency : undefined),
  cents: (item) => (item.kind === 'transaction' ? centsOf(item.amount) : undefined),
  'places after the point': (item) =>
    item.kind === 'transaction' ? String((String(item.amount).split('.')[1] ?? '').length) : undefined,
  milliseconds: (item) => String(item.occurred_at.endsWith('.000Z')),
  'last digit of the time': (item) => item.occurred_at.at(-2),
  'e-mail domain': (item) => {
    const domain = item.email?.split('@')[1] as string;
    return item.email && (COMMON_DOMAINS.has(domain) ? domain : 'own');
  },
  'address family': (item) => item.ip_address && String(item.ip_address.includes(':')),
  'kind of network': (item) => networkOf(item.ip_address),
  'keys of metadata': (item) => item.metadata && Object.keys(item.metadata).join(),
  category: (item) => (item.metadata as Record<string, string> | undefined)?.category,
  'type of event': (item) => (item.kind === 'event' ? item.type : undefined),
  'parts of the billing address': (item) =>
    item.kind === 'transaction' && item.billing_address ? Object.keys(item.billing_address).join() : undefined,
};

/** Thieves do rent servers, ask for payouts and open accounts more often than others; but others do, too. */
const STORY = ['e-mail domain', 'kind of network', 'type of event'];

interface Tally {
  fraud: number;
  honest: number;
}
const LABELS = { fraud: 'fraud', legitimate: 'honest' } as const;

/** How often each value is seen with either label, by property. */
const tally = (items: Iterable<SimulatedItem>, into: Map<string, Map<string, Tally>>): void => {
  for (const item of items) {
    for (const [property, read] of Object.entries(SURFACE)) {
      const value = read(item);
      if (value === undefined) continue;
      const values = into.get(property) ?? new Map<string, Tally>();
      const counts = values.get(value) ?? { fraud: 0, honest: 0 };
      counts[LABELS[item.label]]++;
      into.set(property, values.set(value, counts));
    }
  }
};
const sumOf = (values: Map<string, Tally>, label: keyof Tally): number =>
  [...values.values()].reduce((sum, counts) => sum + counts[label], 0);

/** Values that are a notable part of all fraud with that property, and `times` as rare among the honest. */
const marksOf = (properties: Map<string, Map<string, Tally>>, part: number, times: number): string[] =>
  [...properties].flatMap(([property, values]) => {
    const [frauds, honest] = [sumOf(values, 'fraud'), sumOf(values, 'honest')];
    return [...values]
      .filter(([, counts]) => counts.fraud >= 50 && counts.fraud / frauds > part)
      .filter(([, counts]) => counts.honest / honest < counts.fraud / frauds / times)
      .map(([value, counts]) => `${property}: ${value} ${JSON.stringify(counts)} of ${frauds} and ${honest}`);
  });

describe('what an item shows by itself', () => {
  test('over many worlds has no value that is common in fraud and rare otherwise', () => {
    const all = new Map<string, Map<string, Tally>>();
    for (const options of randomWorlds(5, WORLDS.length * 4, 6000))
      tally(simulate({ ...options, fraudShare: 0.1 }), all);
    expect(all.size).toBe(Object.keys(SURFACE).length);
    const story = new Map([...all].filter(([property]) => STORY.includes(property)));
    // Which members there are says in which worlds there is more fraud; within each it is looked at below.
    const built = new Map([...all].filter(([property]) => property !== 'members' && !STORY.includes(property)));
    expect(marksOf(built, 0.01, 5)).toEqual([]);
    expect(marksOf(story, 0.01, 15)).toEqual([]);
  });

  test('within one world has no shape that only fraud has', () => {
    const within = [
      'members',
      'user_id',
      'device_token',
      'payment_fingerprint',
      'counterparty_id',
      'milliseconds',
      'places after the point',
      'keys of metadata',
      'parts of the billing address',
    ];
    for (const options of randomWorlds(6, WORLDS.length * 2, 8000)) {
      const one = new Map<string, Map<string, Tally>>();
      tally(simulate({ ...options, fraudShare: 0.1 }), one);
      expect(marksOf(new Map([...one].filter(([property]) => within.includes(property))), 0.02, 10)).toEqual([]);
    }
  });
});
