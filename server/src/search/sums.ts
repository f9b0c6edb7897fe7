import type { LabelValue } from '@portcullis/contract';
import type { Statement } from '../backend/backend.ts';
import type { SearchItem } from './item.ts';
import { addSum, type Sum, type SumKind } from './sum-store.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** What of an item is counted. */
export type CountedItem = Pick<
  SearchItem,
  'tenant' | 'at' | 'type' | 'decision' | 'score' | 'usd' | 'country' | 'signals' | 'rules' | 'members'
>;

/** Stands for an unknown country, and among members for the request itself. */
export const NO_NAME = '';

/** The sums that an item counts in. */
const namesOf = (item: CountedItem): (readonly [SumKind, string])[] => [
  ['decision', item.decision],
  ['score', String(item.score)],
  ['country', item.country ?? NO_NAME],
  // Requests are counted beside their members, so that one read gives numbers of the same moment.
  ...[NO_NAME, ...item.members].map((member) => ['member', member] as const),
  ...[...new Set(item.signals)].map((signal) => ['signal', signal] as const),
  ...[...new Set(item.rules)].map((rule) => ['rule', rule] as const),
];

/** Whole cents, as an item shows its amount: their sum does not depend on the order of adding. */
const centsOf = ({ usd }: CountedItem): number => (usd === null ? 0 : Math.round(usd * 100));

type Counted = Pick<Sum, 'items' | 'cents' | 'fraud' | 'legitimate' | 'fraudCents'>;
type Changed = { -readonly [Name in keyof Sum]: Sum[Name] };

const addTo = (sums: Map<string, Changed>, of: Omit<Sum, keyof Counted>, counted: Counted): void => {
  const key = `${of.tenant} ${of.start} ${of.type} ${of.kind} ${of.name}`;
  const sum = sums.get(key);
  if (sum === undefined) {
    sums.set(key, { ...of, ...counted });
    return;
  }
  sum.items += counted.items;
  sum.cents += counted.cents;
  sum.fraud += counted.fraud;
  sum.legitimate += counted.legitimate;
  sum.fraudCents += counted.fraudCents;
};

const labelled = (item: CountedItem, label: LabelValue | null, by: 1 | -1) => ({
  fraud: label === 'fraud' ? by : 0,
  legitimate: label === 'legitimate' ? by : 0,
  fraudCents: label === 'fraud' ? by * centsOf(item) : 0,
});

/** The changes that one page of the journal makes to the sums. A sum that many items change is written once. */
export const makeSumChanges = () => {
  const hours = new Map<string, Changed>();
  const add = (item: CountedItem, counted: Counted): void => {
    const { tenant, type } = item;
    const start = Math.floor(item.at / HOUR_MS) * HOUR_MS;
    for (const [kind, name] of namesOf(item)) addTo(hours, { tenant, kind, hours: 1, start, type, name }, counted);
  };
  return {
    /** Counts an item that is in no sum yet. It has no label. */
    addItem: (item: CountedItem): void => add(item, { items: 1, cents: centsOf(item), ...labelled(item, null, 1) }),
    /** Counts an item under another label. The one before is null if it had none. */
    changeLabel: (item: CountedItem, before: LabelValue | null, after: LabelValue): void => {
      if (before === after) return;
      add(item, { items: 0, cents: 0, ...labelled(item, before, -1) });
      add(item, { items: 0, cents: 0, ...labelled(item, after, 1) });
    },
    statements: (): Statement[] => {
      const days = new Map<string, Changed>();
      for (const { items, cents, fraud, legitimate, fraudCents, ...of } of hours.values())
        addTo(
          days,
          { ...of, hours: 24, start: Math.floor(of.start / DAY_MS) * DAY_MS },
          { items, cents, fraud, legitimate, fraudCents },
        );
      return [...hours.values(), ...days.values()].map(addSum);
    },
  };
};
