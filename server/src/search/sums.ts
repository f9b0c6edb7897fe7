import type { LabelValue } from '@portcullis/contract';
import type { Statement } from '../backend/backend.ts';
import type { SearchItem } from './item.ts';
import { addSums, SUM_KINDS, type Sum, type SumKind } from './sum-store.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** What of an item is counted. */
export type CountedItem = Pick<
  SearchItem,
  'tenant' | 'at' | 'type' | 'decision' | 'score' | 'usd' | 'country' | 'signals' | 'rules' | 'members'
>;

/** Stands for an unknown country, and among members for the request itself. */
export const NO_NAME = '';

/** Whole cents, as an item shows its amount: their sum does not depend on the order of adding. */
const centsOf = ({ usd }: CountedItem): number => (usd === null ? 0 : Math.round(usd * 100));

type Figures = Pick<Sum, 'items' | 'cents' | 'fraud' | 'legitimate' | 'fraudCents'>;
type Changed = { -readonly [Name in keyof Figures]: number };

/** The sums of one hour or day, by kind and name. */
interface Period extends Pick<Sum, 'tenant' | 'hours' | 'start' | 'type'> {
  readonly sums: Readonly<Record<SumKind, Map<string, Changed>>>;
}

const addTo = (sums: Map<string, Changed>, name: string, { items, cents, fraud, legitimate, fraudCents }: Figures) => {
  const sum = sums.get(name);
  if (sum === undefined) {
    sums.set(name, { items, cents, fraud, legitimate, fraudCents });
    return;
  }
  sum.items += items;
  sum.cents += cents;
  sum.fraud += fraud;
  sum.legitimate += legitimate;
  sum.fraudCents += fraudCents;
};

/** Adds to all sums that an item counts in. */
const addItemTo = ({ sums }: Period, item: CountedItem, figures: Figures): void => {
  addTo(sums.decision, item.decision, figures);
  addTo(sums.score, String(item.score), figures);
  addTo(sums.country, item.country ?? NO_NAME, figures);
  // Requests are counted beside their members, so that one read gives numbers of the same moment.
  addTo(sums.member, NO_NAME, figures);
  for (const member of item.members) addTo(sums.member, member, figures);
  for (const signal of new Set(item.signals)) addTo(sums.signal, signal, figures);
  for (const rule of new Set(item.rules)) addTo(sums.rule, rule, figures);
};

const makePeriods = (hours: Sum['hours']) => {
  const periods = new Map<string, Period>();
  let last: Period | undefined;
  return {
    /** The hour or day of a time. Most items are of the same one as the item before. */
    at: (tenant: number, type: Sum['type'], at: number): Period => {
      const start = Math.floor(at / (hours * HOUR_MS)) * hours * HOUR_MS;
      if (last?.start === start && last.type === type && last.tenant === tenant) return last;
      const key = `${tenant} ${start} ${type}`;
      last = periods.get(key);
      if (last === undefined) {
        const sums = { decision: new Map(), score: new Map(), signal: new Map(), rule: new Map() };
        last = { tenant, hours, start, type, sums: { ...sums, country: new Map(), member: new Map() } };
        periods.set(key, last);
      }
      return last;
    },
    all: (): Period[] => [...periods.values()],
  };
};

const labelled = (item: CountedItem, label: LabelValue | null, by: 1 | -1) => ({
  fraud: label === 'fraud' ? by : 0,
  legitimate: label === 'legitimate' ? by : 0,
  fraudCents: label === 'fraud' ? by * centsOf(item) : 0,
});

/** The sums of periods, those of one kind together, as in the table. */
const sumsOf = (periods: readonly Period[]): Sum[] =>
  SUM_KINDS.flatMap((kind) =>
    periods.flatMap(({ tenant, hours, start, type, sums }) =>
      Array.from(sums[kind], ([name, figures]) => ({ tenant, kind, hours, start, type, name, ...figures })),
    ),
  );

/** The changes that one page of the journal makes to the sums. A sum that many items change is written once. */
export const makeSumChanges = () => {
  const hours = makePeriods(1);
  const add = (item: CountedItem, figures: Figures): void =>
    addItemTo(hours.at(item.tenant, item.type, item.at), item, figures);
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
      const days = makePeriods(24);
      for (const { tenant, type, start, sums } of hours.all()) {
        const day = days.at(tenant, type, start);
        for (const kind of SUM_KINDS) for (const [name, figures] of sums[kind]) addTo(day.sums[kind], name, figures);
      }
      return addSums(sumsOf([...hours.all(), ...days.all()]));
    },
  };
};
