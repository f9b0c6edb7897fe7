import { makeRandom } from '@portcullis/engine';

/**
 * Random draws from one seeded stream. Logarithm and exponential use plain arithmetic here: `Math.log` and `Math.exp`
 * may differ in the last digit between processors, and one such digit would change every later draw.
 */
const { LN2: LN_2 } = Math;

export const ln = (value: number): number => {
  let x = value;
  let halvings = 0;
  while (x > 1.5) {
    x /= 2;
    halvings++;
  }
  while (x < 0.75) {
    x *= 2;
    halvings--;
  }
  const z = (x - 1) / (x + 1);
  const z2 = z * z;
  return halvings * LN_2 + 2 * z * (1 + z2 * (1 / 3 + z2 * (1 / 5 + z2 * (1 / 7 + z2 * (1 / 9 + z2 / 11)))));
};

export const exp = (value: number): number => {
  const doublings = Math.round(value / LN_2);
  const r = value - doublings * LN_2;
  let result = 1 + r * (1 + (r / 2) * (1 + (r / 3) * (1 + (r / 4) * (1 + (r / 5) * (1 + (r / 6) * (1 + r / 7))))));
  for (let i = 0; i < doublings; i++) result *= 2;
  for (let i = 0; i > doublings; i--) result /= 2;
  return result;
};

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

export const makeDraw = (seed: number) => {
  const random = makeRandom(seed);
  let spare = Number.NaN;
  const between = (low: number, high: number): number => low + random() * (high - low);
  /** A whole number from low to high, both included. */
  const whole = (low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
  const normal = (): number => {
    if (!Number.isNaN(spare)) {
      const value = spare;
      spare = Number.NaN;
      return value;
    }
    let [x, y, r] = [0, 0, 0];
    do {
      x = 2 * random() - 1;
      y = 2 * random() - 1;
      r = x * x + y * y;
    } while (r >= 1 || r === 0);
    const scale = Math.sqrt((-2 * ln(r)) / r);
    spare = y * scale;
    return x * scale;
  };
  /** Around a median; `spread` is the deviation of the logarithm. */
  const logNormal = (median: number, spread: number): number => median * exp(spread * normal());
  /** Log-uniform: a value between 1 and 10 is as likely as one between 10 and 100. */
  const logBetween = (low: number, high: number): number => low * exp(random() * ln(high / low));
  const exponential = (mean: number): number => -mean * ln(1 - random());
  const poisson = (mean: number): number => {
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
    let product = random();
    // exp(-mean) is at least 1 - mean, so that most draws of a small mean need no exponential.
    if (product <= 1 - mean) return 0;
    const floor = exp(-mean);
    let count = 0;
    for (; product > floor; product *= random()) count++;
    return count;
  };
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  /** Prefers the first elements of a list. */
  const pickEarly = <T>(list: readonly T[], steepness = 2): T => {
    let u = random();
    for (let i = 1; i < steepness; i++) u *= random();
    return list[Math.floor(u * list.length)] as T;
  };
  const weighted = <T>(list: readonly T[], weights: readonly number[]): T => {
    let rest = random() * weights.reduce((sum, weight) => sum + weight, 0);
    for (let i = 0; i < list.length; i++) {
      rest -= weights[i] as number;
      if (rest < 0) return list[i] as T;
    }
    return list[list.length - 1] as T;
  };
  const chance = (share: number): boolean => random() < share;
  const hex = (digits: number): string => {
    let text = '';
    while (text.length < digits)
      text += Math.floor(random() * 0x1_0000_0000)
        .toString(16)
        .padStart(8, '0');
    return text.slice(0, digits);
  };
  const letters = (count: number): string => {
    let text = '';
    for (let i = 0; i < count; i++) text += LETTERS[Math.floor(random() * LETTERS.length)];
    return text;
  };
  /** A seed for an independent stream. */
  const seedOf = (): number => Math.floor(random() * 0x1_0000_0000);
  return {
    random,
    between,
    whole,
    normal,
    logNormal,
    logBetween,
    exponential,
    poisson,
    pick,
    pickEarly,
    weighted,
    chance,
    hex,
    letters,
    seedOf,
  };
};
export type Draw = ReturnType<typeof makeDraw>;
