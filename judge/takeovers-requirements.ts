import type { TakeoverScore } from './measure-takeovers.ts';
import { asCount, asPercent, asRate, atLeast, atMost, type Requirement, type Table } from './report.ts';
import { ACTS, type Act, WAITS } from './takeover-thief.ts';

/**
 * Pairs of acts of which the first contains the second and something suspicious more. A login is suspicious only
 * shortly before the payment: an account that a new device has used for days without complaint looks better.
 */
const PAIRS: readonly { readonly more: Act; readonly less: Act; readonly longest: string }[] = [
  { more: 'failed login', less: 'nothing', longest: '14 d' },
  { more: 'login', less: 'nothing', longest: '1 h' },
  { more: 'login and password reset', less: 'login', longest: '14 d' },
  { more: 'login and e-mail change', less: 'login', longest: '14 d' },
  { more: 'login and small purchase', less: 'login', longest: '1 h' },
];

const waitIndex = (wait: string): number => WAITS.findIndex(([name]) => name === wait);
const keyOf = ({ world, thief }: TakeoverScore, act: Act, wait: string): string =>
  [world, thief, act, act === 'nothing' ? '0' : wait].join('|');

interface Pair {
  readonly change: number;
  readonly isLost: boolean;
  readonly wait: string;
}
/** The scores of the same thief with and without the further act. */
export const pairsOf = (scores: readonly TakeoverScore[], more: Act, less: Act): Pair[] => {
  const byKey = new Map(scores.map((score) => [keyOf(score, score.act, score.wait), score]));
  return scores.flatMap((score) => {
    const other = score.act === more ? byKey.get(keyOf(score, less, score.wait)) : undefined;
    if (other === undefined) return [];
    return [{ change: score.score - other.score, isLost: other.isFlagged && !score.isFlagged, wait: score.wait }];
  });
};

const shareOf = <T>(list: readonly T[], holds: (entry: T) => boolean): number =>
  list.filter(holds).length / Math.max(1, list.length);

export const tableOfPairs = (scores: readonly TakeoverScore[]): Table => ({
  title: 'Same thief with and without a further act: share of payments whose score falls, and mean change in points',
  head: ['further act', ...WAITS.map(([wait]) => wait)],
  rows: PAIRS.map(({ more, less }) => {
    const pairs = pairsOf(scores, more, less);
    return [
      `${more} instead of ${less}`,
      ...WAITS.map(([wait]) => {
        const of = pairs.filter((pair) => pair.wait === wait);
        const mean = of.reduce((sum, { change }) => sum + change, 0) / Math.max(1, of.length);
        return of.length === 0 ? '-' : `${asPercent(shareOf(of, ({ change }) => change < 0))} ${asRate(mean)}`;
      }),
    ];
  }),
});

const pairRequirements = (scores: readonly TakeoverScore[]): Requirement[] =>
  PAIRS.flatMap(({ more, less, longest }) => {
    const pairs = pairsOf(scores, more, less).filter(({ wait }) => waitIndex(wait) <= waitIndex(longest));
    const lowered = pairs.filter(({ change }) => change < 0).length;
    const lost = pairs.filter(({ isLost }) => isLost).length;
    const name = `${more} instead of ${less}, waits up to ${longest}`;
    return [
      atMost(`${name}: lower scores, of ${pairs.length}`, lowered, 0, asCount),
      atMost(`${name}: no longer flagged, of ${pairs.length}`, lost, 0, asCount),
    ];
  });

/** The largest difference between neighbouring waits, for each act that has waits. */
const stepRequirements = (scores: readonly TakeoverScore[]): Requirement[] =>
  ACTS.filter((act) => act !== 'nothing').map((act) => {
    const of = scores.filter((score) => score.device === 'new' && score.act === act);
    const shares = WAITS.map(([wait]) => of.filter((score) => score.wait === wait))
      .filter((waited) => waited.length > 0)
      .map((waited) => shareOf(waited, ({ isFlagged }) => isFlagged));
    const steps = shares.slice(1).map((share, i) => Math.abs(share - (shares[i] as number)));
    return atMost(`new device, ${act}: largest step between neighbouring waits`, Math.max(0, ...steps), 0.1, asPercent);
  });

/** The lowest share flagged over the waits up to 3 days. */
const shareRequirement = (scores: readonly TakeoverScore[]): Requirement => {
  const of = scores.filter(
    ({ device, amount, wait }) => device === 'new' && amount === 3 && waitIndex(wait) <= waitIndex('3 d'),
  );
  const shares = WAITS.map(([wait]) => ({ wait, waited: of.filter((score) => score.wait === wait) }))
    .filter(({ waited }) => waited.length > 0)
    .map(({ wait, waited }) => ({ wait, share: shareOf(waited, ({ isFlagged }) => isFlagged) }))
    .sort((a, b) => a.share - b.share);
  const { wait = '-', share = Number.NaN } = shares[0] ?? {};
  return atLeast(
    `new device, 3x, waits up to 3 d: share flagged, lowest of all waits (${wait})`,
    share,
    0.7,
    asPercent,
  );
};

export const requirementsOfTakeovers = (scores: readonly TakeoverScore[]): Requirement[] => [
  shareRequirement(scores),
  ...stepRequirements(scores),
  ...pairRequirements(scores),
];
