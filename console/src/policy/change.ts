import type { Policy, PolicyChange } from '@portcullis/client';
import { useLocation, useSearch } from 'wouter';
import type { Thresholds } from './effect.ts';

export type ItemType = 'transaction' | 'event';
export const TYPES: readonly ItemType[] = ['transaction', 'event'];
export const TYPE_TITLES: Readonly<Record<ItemType, string>> = { transaction: 'Payments', event: 'Events' };
type Points = Policy['points'];

/** A policy that is not saved. */
export interface Draft {
  readonly thresholds: Readonly<Record<ItemType, Thresholds>>;
  readonly points: Points;
}

const readThresholds = (text: string | null, stored: Thresholds): Thresholds => {
  const [review, block] = (text ?? '').split('-').map(Number);
  const isValid =
    Number.isInteger(review) && Number.isInteger(block) && (review as number) >= 1 && (block as number) <= 100;
  return isValid && (review as number) < (block as number)
    ? { review: review as number, block: block as number }
    : stored;
};
const readPoints = (text: string | null, stored: Points): Points =>
  text === null
    ? stored
    : Object.fromEntries(
        text
          .split(',')
          .filter((pair) => /^[\w.]+:\d+$/.test(pair))
          .map((pair) => [pair.split(':')[0], Number(pair.split(':')[1])]),
      );
const writePoints = (points: Points): string =>
  Object.entries(points)
    .map(([name, value]) => `${name}:${value}`)
    .sort()
    .join(',');

const hasSameThresholds = (a: Thresholds, b: Thresholds): boolean => a.review === b.review && a.block === b.block;
export const hasSamePoints = (a: Points, b: Points): boolean => writePoints(a) === writePoints(b);

/** The policy that a person is thinking about. It is part of the address, so that nothing is lost. */
export const useDraft = (policy: Policy) => {
  const [, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const draft: Draft = {
    thresholds: {
      transaction: readThresholds(search.get('payments'), policy.thresholds.transaction),
      event: readThresholds(search.get('events'), policy.thresholds.event),
    },
    points: readPoints(search.get('points'), policy.points),
  };
  const put = (name: string, value: string | undefined): void => {
    if (value === undefined) search.delete(name);
    else search.set(name, value);
  };
  const show = (): void => {
    const text = search.toString();
    go(text === '' ? '/policy' : `/policy?${text}`, { replace: true });
  };
  return {
    draft,
    days: Number(search.get('days')) || 30,
    backtestId: search.get('backtest') ?? undefined,
    setThresholds: (type: ItemType, next: Thresholds): void => {
      const isStored = hasSameThresholds(next, policy.thresholds[type]);
      put(type === 'event' ? 'events' : 'payments', isStored ? undefined : `${next.review}-${next.block}`);
      show();
    },
    setPoints: (next: Points): void => {
      put('points', hasSamePoints(next, policy.points) ? undefined : writePoints(next));
      show();
    },
    set: (name: 'days' | 'backtest', value: string | undefined): void => {
      put(name, value);
      show();
    },
    discard: (): void => {
      for (const name of ['payments', 'events', 'points', 'backtest']) search.delete(name);
      show();
    },
  };
};

/** The difference of two policies, a line for each change. */
export const differencesOf = (before: Draft, after: Draft): readonly string[] => {
  const lines: string[] = [];
  for (const type of TYPES)
    for (const name of ['review', 'block'] as const) {
      const [from, to] = [before.thresholds[type][name], after.thresholds[type][name]];
      if (from !== to) lines.push(`${TYPE_TITLES[type]}, ${name}: ${from} → ${to}`);
    }
  const names = new Set([...Object.keys(before.points), ...Object.keys(after.points)]);
  for (const name of [...names].sort()) {
    const [from, to] = [before.points[name], after.points[name]];
    if (from !== to) lines.push(`Points for ${name}: ${from ?? 'none'} → ${to ?? 'none'}`);
  }
  return lines;
};

/** The request that puts a policy in place, with the changed parts alone. */
export const changeOf = (before: Draft, { thresholds, points }: Draft): PolicyChange => {
  const changed = TYPES.filter((type) => !hasSameThresholds(before.thresholds[type], thresholds[type]));
  return {
    ...(changed.length > 0 && { thresholds: Object.fromEntries(changed.map((type) => [type, thresholds[type]])) }),
    ...(!hasSamePoints(before.points, points) && { points }),
  };
};
