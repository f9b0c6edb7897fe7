import type { Glance } from './past.ts';

/**
 * What is known of how past items turned out, and how much each counts. Only what was held is reviewed, and only some of that; what was allowed is heard of
 * when someone complains. See docs/adr/0021-learning-from-reviewed-items.md.
 */
const BAND = 10;
const MOST_WEIGHT = 20;
/** Of a label whose screening is gone, so are the ordinary items of its time and its metadata: it would count for more than it was. */
const OUTLIVED_WEIGHT = 0.1;
/** The newest frauds, on which models are measured. */
const WINDOW_SHARE = 0.25;
export const FEWEST_IN_WINDOW = 20;
/** Ordinary items of the window beyond these are thinned, and count for those left out. */
const MOST_ORDINARY = 100_000;

export const isHeld = ({ decision }: Pick<Glance, 'decision'>): boolean => decision !== 'allow';
const bandOf = ({ score }: Glance): number => Math.floor(score / BAND);

interface Held {
  readonly at: number;
  readonly band: number;
  readonly isLabelled: boolean;
}
/** By band: for how many that were held one with a label stands. */
const weightsOf = (held: readonly Held[]): Map<number, number> => {
  const counts = new Map<number, { all: number; labelled: number }>();
  for (const { band, isLabelled } of held) {
    const { all, labelled } = counts.get(band) ?? { all: 0, labelled: 0 };
    counts.set(band, { all: all + 1, labelled: labelled + (isLabelled ? 1 : 0) });
  }
  return new Map([...counts].map(([band, { all, labelled }]) => [band, Math.min(MOST_WEIGHT, all / labelled)]));
};

/** Looks at all past items once and tells what they are worth. */
export const makeSurvey = (now: number, maturityMs: number) => {
  const held: Held[] = [];
  /** When those of the window may be: what outlived its screening is learned from, but not measured on, for the rest of its time is gone. */
  const frauds: number[] = [];
  const others: number[] = [];
  let outlivedFrauds = 0;
  /** Of those that were held and labelled: what the model then said, and what they were. */
  const said: number[] = [];
  const was: number[] = [];
  /** When items were that count as ordinary. */
  const mature: number[] = [];

  return {
    see: (glance: Glance): void => {
      const { label, at, probability, isOutlived } = glance;
      if (isHeld(glance) && !isOutlived) {
        held.push({ at, band: bandOf(glance), isLabelled: label !== undefined });
        if (label !== undefined && probability !== undefined) {
          said.push(probability);
          was.push(label === 'fraud' ? 1 : 0);
        }
      }
      if (isOutlived) outlivedFrauds += label === 'fraud' ? 1 : 0;
      else if (label === 'fraud') frauds.push(at);
      else if (label === 'legitimate' || !isHeld(glance)) others.push(at);
      if (label === undefined && !isHeld(glance) && at <= now - maturityMs) mature.push(at);
    },
    frauds: () => outlivedFrauds + frauds.length,
    reviewed: { said, was },
    /** How many there are to learn from what is ordinary: those of the window are not learned from. */
    matureBefore: (from: number): number => mature.filter((at) => at < from).length,
    /**
     * How much a labelled item counts: for as many as were held with a score like its own, over those of them with a label. What is before the
     * window is weighed by itself, or what is learned would depend on what was said of the window.
     */
    weightsAround: (from: number): ((glance: Glance) => number) => {
      const [before, within] = [held.filter(({ at }) => at < from), held.filter(({ at }) => at >= from)].map(weightsOf);
      return (glance) => {
        if (glance.isOutlived) return OUTLIVED_WEIGHT;
        if (!isHeld(glance)) return 1;
        return (glance.at < from ? before : within)?.get(bandOf(glance)) ?? 1;
      };
    },
    /** Where the window begins: the newest quarter of the frauds still stored, at least so many, and nothing that the champion learned from. */
    windowFrom: (learnedUntil: number): number => {
      const sorted = frauds.toSorted((a, b) => a - b);
      const wanted = Math.max(FEWEST_IN_WINDOW, Math.ceil(sorted.length * WINDOW_SHARE));
      return Math.max(sorted.at(-wanted) ?? Number.POSITIVE_INFINITY, learnedUntil);
    },
    countFrom: (from: number): { frauds: number; others: number } => ({
      frauds: frauds.filter((at) => at >= from).length,
      others: others.filter((at) => at >= from).length,
    }),
    thinningFrom: (from: number): number =>
      Math.max(1, Math.ceil(others.filter((at) => at >= from).length / MOST_ORDINARY)),
    /** What to learn from it: 1 for fraud, 0 for none, undefined where nobody can tell yet. */
    outcomeOf: (glance: Glance): 0 | 1 | undefined => {
      if (glance.label !== undefined) return glance.label === 'fraud' ? 1 : 0;
      return isHeld(glance) || glance.at > now - maturityMs ? undefined : 0;
    },
  };
};
export type Survey = ReturnType<typeof makeSurvey>;
