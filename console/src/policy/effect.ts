import type { ScoreFigures } from '@portcullis/client';

export interface Thresholds {
  readonly review: number;
  readonly block: number;
}

/** What thresholds do with items whose scores are known. Blocked items count as held. */
export interface Effect {
  readonly held: number;
  readonly blocked: number;
  readonly amountUsd: number;
  readonly fraudHeld: number;
  readonly fraud: number;
  readonly falsePositives: number;
  readonly legitimate: number;
}

const sum = (figures: readonly ScoreFigures[], of: (one: ScoreFigures) => number): number =>
  figures.reduce((total, one) => total + of(one), 0);

export const effectOf = (scores: readonly ScoreFigures[], { review, block }: Thresholds): Effect => {
  const held = scores.filter(({ score }) => score >= review);
  return {
    held: sum(held, ({ items }) => items),
    blocked: sum(held, ({ items, score }) => (score >= block ? items : 0)),
    amountUsd: sum(held, ({ amount_usd }) => amount_usd),
    fraudHeld: sum(held, ({ fraud }) => fraud),
    fraud: sum(scores, ({ fraud }) => fraud),
    falsePositives: sum(held, ({ legitimate }) => legitimate),
    legitimate: sum(scores, ({ legitimate }) => legitimate),
  };
};

/** Moves one threshold. The other one gives way: review is always below block. */
export const moveThreshold = ({ review, block }: Thresholds, which: keyof Thresholds, value: number): Thresholds => {
  const whole = Math.round(value);
  if (which === 'review') {
    const next = Math.min(99, Math.max(1, whole));
    return { review: next, block: Math.max(block, next + 1) };
  }
  const next = Math.min(100, Math.max(2, whole));
  return { review: Math.min(review, next - 1), block: next };
};
