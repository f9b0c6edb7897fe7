import { describe, expect, test } from 'vitest';
import { openShippedKnowledge } from './knowledge.ts';
import { measureTakeovers } from './measure-takeovers.ts';
import { loadServedModel, makeServe } from './served.ts';
import { type Act, WAITS } from './takeover-thief.ts';
import { pairsOf } from './takeovers-requirements.ts';
import { businessNamed } from './world/businesses.ts';

/** Today's level on two businesses. `npm run judge -- takeovers` measures the real requirement. */
const LEVEL = { shareFlaggedAt3x: 0.43, largestStep: 0.14 };
/** Shares of thieves whose score a further act lowers. */
const LOWERED: readonly (readonly [more: Act, less: Act, share: number])[] = [
  ['failed login', 'nothing', 0],
  ['login', 'nothing', 0.05],
  ['login and password reset', 'login', 0],
  ['login and e-mail change', 'login', 0],
];

const serve = makeServe(loadServedModel());
const waits = WAITS.filter(([name]) => ['0', '1 h', '26 h', '3 d'].includes(name));
const scores = ['groceries', 'marketplace'].flatMap((name) =>
  measureTakeovers(businessNamed(name), 7, 1, serve, openShippedKnowledge(), 'fraud', waits),
);
const fromNewDevice = scores.filter(({ device, act }) => device === 'new' && act !== 'nothing');
const shareFlagged = (list: typeof scores): number => list.filter(({ isFlagged }) => isFlagged).length / list.length;
const shareAt = (list: typeof scores, wait: string): number =>
  shareFlagged(list.filter((score) => score.wait === wait));

test('payments of three times the usual amount from a new device are flagged as often as before, after any wait', () => {
  const list = fromNewDevice.filter(({ amount }) => amount === 3);
  for (const [wait] of waits) expect(shareAt(list, wait)).toBeGreaterThanOrEqual(LEVEL.shareFlaggedAt3x);
});

test('the share flagged changes from one wait to the next by no more than before', () => {
  const shares = waits.map(([wait]) => shareAt(fromNewDevice, wait));
  for (const [i, share] of shares.slice(1).entries())
    expect(Math.abs(share - (shares[i] as number))).toBeLessThan(LEVEL.largestStep);
});

describe('a further act lowers the score of no more thieves than before', () => {
  test.each(LOWERED)('%s instead of %s', (more, less, share) => {
    const pairs = pairsOf(scores, more, less);
    expect(pairs.length).toBeGreaterThan(50);
    expect(pairs.filter(({ change }) => change < 0).length / pairs.length).toBeLessThanOrEqual(share);
  });
});
