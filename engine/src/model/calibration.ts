/**
 * Turns a model's log-odds into a probability of fraud, and the probability into a score. The score depends on the
 * probability alone, so that a score of 50 means the same under every model.
 */

/**
 * Points of a piecewise linear function from the log-odds of a model (`said`) to those observed (`meant`). Beyond
 * both ends its slope is one.
 */
export interface Calibration {
  readonly said: number[];
  readonly meant: number[];
}
export const UNCALIBRATED: Calibration = { said: [0], meant: [0] };

export const logit = (probability: number): number => Math.log(probability / (1 - probability));
export const sigmoid = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/** The calibrated log-odds for a model's log-odds. The function never falls. */
export const applyCalibration = ({ said, meant }: Calibration, logOdds: number): number => {
  const last = said.length - 1;
  if (logOdds <= (said[0] as number)) return (meant[0] as number) + (logOdds - (said[0] as number));
  if (logOdds >= (said[last] as number)) return (meant[last] as number) + (logOdds - (said[last] as number));
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((said[middle] as number) <= logOdds) low = middle;
    else high = middle;
  }
  const share = (logOdds - (said[low] as number)) / ((said[high] as number) - (said[low] as number));
  return (meant[low] as number) + share * ((meant[high] as number) - (meant[low] as number));
};

/**
 * If one in eight such items is fraud, a review is worth it: score 50. A block needs more certainty: at 80 % the score is 80.
 * Below the review it falls faster: 1 % has score 7.
 */
const PROBABILITY_AT_50 = 0.125;
const PROBABILITY_AT_80 = 0.8;
/** The calibrated log-odds at score 50, from which the model alone leads to a review. */
export const REVIEW_LOG_ODDS = logit(PROBABILITY_AT_50);
const SLOPE_ABOVE = logit(0.8) / (logit(PROBABILITY_AT_80) - REVIEW_LOG_ODDS);
const SLOPE_BELOW = 1;

/** Score points for calibrated log-odds, from 0 to 100, not rounded. */
export const pointsFor = (logOdds: number): number =>
  100 * sigmoid((logOdds < REVIEW_LOG_ODDS ? SLOPE_BELOW : SLOPE_ABOVE) * (logOdds - REVIEW_LOG_ODDS));
