import type { ItemSummary } from './training-items.ts';

/**
 * The label and the weight of past items in training. People review only held items, and not all of them. Fraud among
 * allowed items is known only when someone reports it. See docs/adr/0021-learning-from-reviewed-items.md.
 */
const BAND = 10;
const MAX_WEIGHT = 20;
/** Low: ordinary items of that time and the metadata are deleted, so full weight would overstate the label. */
const EXPIRED_WEIGHT = 0.1;
/** Share of the frauds, the newest, on which models are measured. */
const WINDOW_SHARE = 0.25;
export const MIN_IN_WINDOW = 20;
/** More ordinary items in the window are thinned out. Each item left then has the weight of those removed. */
const MAX_ORDINARY = 100_000;

/** Held for review or blocked. */
export const isHeld = ({ decision }: Pick<ItemSummary, 'decision'>): boolean => decision !== 'allow';
const bandOf = ({ score }: ItemSummary): number => Math.floor(score / BAND);

interface HeldItem {
  readonly at: number;
  readonly band: number;
  readonly isLabelled: boolean;
}
/** By band of the score: how many held items one labelled item stands for. */
const weightsOf = (held: readonly HeldItem[]): Map<number, number> => {
  const counts = new Map<number, { all: number; labelled: number }>();
  for (const { band, isLabelled } of held) {
    const { all, labelled } = counts.get(band) ?? { all: 0, labelled: 0 };
    counts.set(band, { all: all + 1, labelled: labelled + (isLabelled ? 1 : 0) });
  }
  return new Map([...counts].map(([band, { all, labelled }]) => [band, Math.min(MAX_WEIGHT, all / labelled)]));
};

interface SurveyState {
  /** Newer items are not trained on. */
  readonly matureUntil: number;
  readonly held: HeldItem[];
  /** Times of stored frauds and of other stored items. Expired items are used in training, not in measuring. */
  readonly frauds: number[];
  readonly others: number[];
  expiredFrauds: number;
  /** Held and labelled items: the probability from the model that decided them, and the label. */
  readonly reviewed: { readonly probabilities: number[]; readonly labels: number[] };
  /** Times of allowed items without a label that are old enough to count as ordinary. */
  readonly mature: number[];
}

const add = (state: SurveyState, item: ItemSummary): void => {
  const { label, at, probability, isExpired } = item;
  if (isHeld(item) && !isExpired) {
    state.held.push({ at, band: bandOf(item), isLabelled: label !== undefined });
    if (label !== undefined && probability !== undefined) {
      state.reviewed.probabilities.push(probability);
      state.reviewed.labels.push(label === 'fraud' ? 1 : 0);
    }
  }
  if (isExpired) state.expiredFrauds += label === 'fraud' ? 1 : 0;
  else if (label === 'fraud') state.frauds.push(at);
  else if (label === 'legitimate' || !isHeld(item)) state.others.push(at);
  if (label === undefined && !isHeld(item) && at <= state.matureUntil) state.mature.push(at);
};

/**
 * The weight of labelled items: held items with a similar score, over those of them with a label. Items before the
 * window are weighted separately. Otherwise labels in the window would change the training.
 */
const weightsAround = ({ held }: SurveyState, from: number): ((item: ItemSummary) => number) => {
  const [before, within] = [held.filter(({ at }) => at < from), held.filter(({ at }) => at >= from)].map(weightsOf);
  return (item) => {
    if (item.isExpired) return EXPIRED_WEIGHT;
    if (!isHeld(item)) return 1;
    return (item.at < from ? before : within)?.get(bandOf(item)) ?? 1;
  };
};

/** Counts all past items in one pass, and derives the window, labels and weights from the counts. */
export const makeSurvey = (now: number, maturityMs: number) => {
  const state: SurveyState = {
    matureUntil: now - maturityMs,
    held: [],
    frauds: [],
    others: [],
    expiredFrauds: 0,
    reviewed: { probabilities: [], labels: [] },
    mature: [],
  };
  const { frauds, others, mature, reviewed } = state;
  return {
    add: (item: ItemSummary): void => add(state, item),
    frauds: () => state.expiredFrauds + frauds.length,
    /** How many frauds the training has. */
    fraudsBefore: (from: number): number =>
      state.expiredFrauds + frauds.filter((at) => at < from && at <= state.matureUntil).length,
    reviewed,
    /** How many ordinary items the training has. Those of the window are not trained on. */
    matureBefore: (from: number): number => mature.filter((at) => at < from).length,
    weightsAround: (from: number) => weightsAround(state, from),
    /**
     * The start of the window: the newest quarter of the stored frauds, at least `MIN_IN_WINDOW`. Never before
     * `learnedUntil`: the champion was trained on older items.
     */
    windowFrom: (learnedUntil: number): number => {
      const sorted = frauds.toSorted((a, b) => a - b);
      const wanted = Math.max(MIN_IN_WINDOW, Math.ceil(sorted.length * WINDOW_SHARE));
      return Math.max(sorted.at(-wanted) ?? Number.POSITIVE_INFINITY, learnedUntil);
    },
    countFrom: (from: number): { frauds: number; others: number } => ({
      frauds: frauds.filter((at) => at >= from).length,
      others: others.filter((at) => at >= from).length,
    }),
    /** Every how many ordinary items one is kept. */
    thinningFrom: (from: number): number =>
      Math.max(1, Math.ceil(others.filter((at) => at >= from).length / MAX_ORDINARY)),
    /**
     * The label to train on: 1 for fraud, 0 for none, undefined if the item is left out. Items that are not old enough to count
     * as ordinary are left out whatever their label: in a time of which only the frauds are known, every feature that grows
     * with time looks like fraud.
     */
    outcomeOf: (item: ItemSummary): 0 | 1 | undefined => {
      if (item.at > state.matureUntil) return undefined;
      if (item.label !== undefined) return item.label === 'fraud' ? 1 : 0;
      return isHeld(item) ? undefined : 0;
    },
  };
};
export type Survey = ReturnType<typeof makeSurvey>;
