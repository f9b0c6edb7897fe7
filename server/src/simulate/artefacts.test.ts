import { describe, expect, test } from 'vitest';
import { FREE_DOMAINS, THROW_AWAY_DOMAINS } from './names.ts';
import { HOSTING } from './networks.ts';
import {
  JUDGING_WORLDS,
  judgingWorlds,
  randomWorlds,
  type SimulatedItem,
  type SimulateOptions,
  simulate,
  TRAINING_WORLDS,
} from './simulate.ts';

/**
 * Checks each property of a single item, without its history. No property may reveal fraud because of how the simulator
 * works: a model would learn that artefact instead of fraud.
 */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const shapeOf = (id: string): string =>
  UUID.test(id) ? 'uuid' : id.replace(/[0-9a-z]+/gi, (run) => (/^\d+$/.test(run) ? '9' : 'a'));
const centsOf = (amount: number): string => {
  const cents = String(Math.round(amount * 100) % 100);
  return ['0', '99', '50', '95', '45'].includes(cents) ? cents : 'other';
};
/** Addresses recur, and there are many networks to look through. */
const networks = new Map<string, string>();
const networkOf = (ip: string | undefined): string | undefined => {
  if (ip === undefined) return undefined;
  if (ip.includes(':')) return 'IPv6';
  const known = networks.get(ip);
  if (known !== undefined) return known;
  const address = ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const isHosted = HOSTING.some((prefixes) =>
    prefixes.some(({ first, size }) => address >= first && address < first + size),
  );
  const network = isHosted ? 'hosting' : 'consumer';
  networks.set(ip, network);
  return network;
};
const COMMON_DOMAINS = new Set([...FREE_DOMAINS, ...THROW_AWAY_DOMAINS]);

const PROPERTIES: Readonly<Record<string, (item: SimulatedItem) => string | undefined>> = {
  fields: (item) =>
    Object.keys(item)
      .filter((name) => name !== 'attack' && name !== 'label_reason')
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
  'decimal places': (item) =>
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
  'hour of the day': (item) => item.occurred_at.slice(11, 13),
  weekday: (item) => String(new Date(item.occurred_at).getUTCDay()),
  'first digit of the amount': (item) =>
    item.kind === 'transaction'
      ? String(item.amount)
          .replace(/^[0.]+/, '')
          .charAt(0)
      : undefined,
  'alias of a mailbox': (item) => item.email && String(item.email.includes('+')),
  'spelling of the address': (item) => {
    const line = item.kind === 'transaction' ? item.shipping_address?.line1 : undefined;
    return line && (line === line.toUpperCase() ? 'upper' : line === line.toLowerCase() ? 'lower' : 'mixed');
  },
  'goods go elsewhere': (item) => {
    if (item.kind === 'event' || item.billing_address?.line1 === undefined) return undefined;
    return item.shipping_address && String(item.shipping_address.city !== item.billing_address.city);
  },
  'fields of the billing address': (item) =>
    item.kind === 'transaction' && item.billing_address ? Object.keys(item.billing_address).join() : undefined,
};

/** Attackers use servers, payouts, gift cards and new accounts more often. Legitimate customers use them too, but less. */
const BEHAVIOUR = [
  'e-mail domain',
  'kind of network',
  'type of event',
  'alias of a mailbox',
  'goods go elsewhere',
  'category',
];

interface Tally {
  fraud: number;
  legitimate: number;
}

type Counts = Map<string, Map<string, Tally>>;

/** Counts each value by label, for each property. */
const tally = (items: Iterable<SimulatedItem>, counters: Counts): void => {
  for (const item of items) {
    for (const [property, read] of Object.entries(PROPERTIES)) {
      const value = read(item);
      if (value === undefined) continue;
      const values = counters.get(property) ?? new Map<string, Tally>();
      const counts = values.get(value) ?? { fraud: 0, legitimate: 0 };
      counts[item.label]++;
      counters.set(property, values.set(value, counts));
    }
  }
};
const sumOf = (values: Map<string, Tally>, label: keyof Tally): number =>
  [...values.values()].reduce((sum, counts) => sum + counts[label], 0);

/** Values that more than `share` of fraud has, and that are `times` as rare in legitimate items. */
const artefactsOf = (properties: Counts, share: number, times: number): string[] =>
  [...properties].flatMap(([property, values]) => {
    const [frauds, legitimate] = [sumOf(values, 'fraud'), sumOf(values, 'legitimate')];
    return [...values]
      .filter(([, counts]) => counts.fraud >= 50 && counts.fraud / frauds > share)
      .filter(([, counts]) => counts.legitimate / legitimate < counts.fraud / frauds / times)
      .map(([value, counts]) => `${property}: ${value} ${JSON.stringify(counts)} of ${frauds} and ${legitimate}`);
  });

const countsOf = (options: SimulateOptions): Counts => {
  const counts: Counts = new Map();
  tally(simulate({ ...options, fraudShare: 0.1 }), counts);
  return counts;
};

const merge = (worlds: readonly Counts[]): Counts => {
  const all: Counts = new Map();
  for (const [property, values] of worlds.flatMap((counts) => [...counts])) {
    const merged = all.get(property) ?? new Map<string, Tally>();
    for (const [value, { fraud, legitimate }] of values) {
      const sum = merged.get(value) ?? { fraud: 0, legitimate: 0 };
      merged.set(value, { fraud: sum.fraud + fraud, legitimate: sum.legitimate + legitimate });
    }
    all.set(property, merged);
  }
  return all;
};

const FORMATS = [
  'fields',
  'user_id',
  'device_token',
  'payment_fingerprint',
  'counterparty_id',
  'milliseconds',
  'decimal places',
  'keys of metadata',
  'fields of the billing address',
];

describe.each([
  ['training', () => randomWorlds(6, TRAINING_WORLDS.length * 2, 2500)],
  ['judging', () => judgingWorlds(6, JUDGING_WORLDS.length * 2, 2500)],
] as const)('a single item of %s worlds, without its history', (_, worlds) => {
  const each = worlds().map(countsOf);

  test('has no value that is common in fraud and rare otherwise, over many worlds', () => {
    const all = merge(each);
    expect(all.size).toBe(Object.keys(PROPERTIES).length);
    const behaviour = new Map([...all].filter(([property]) => BEHAVIOUR.includes(property)));
    // Sets of fields identify worlds, and worlds differ in their share of fraud. The next test checks them within a
    // world.
    const format = new Map([...all].filter(([property]) => property !== 'fields' && !BEHAVIOUR.includes(property)));
    expect(artefactsOf(format, 0.01, 5)).toEqual([]);
    expect(artefactsOf(behaviour, 0.01, 15)).toEqual([]);
  });

  test('has no format that only fraud has, within one world', () => {
    for (const counts of each) {
      const formats = new Map([...counts].filter(([property]) => FORMATS.includes(property)));
      expect(artefactsOf(formats, 0.02, 10)).toEqual([]);
    }
  });
});
