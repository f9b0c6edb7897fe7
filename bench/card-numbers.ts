import { maskJson } from '../server/src/validation/mask-json.ts';

/** Cost of the search for card numbers in the body that costs most. All accounts wait while it is searched. */
export interface CardNumberCost {
  readonly kib: number;
  readonly worst: string;
  readonly ms: number;
}

const LENGTH = 64 * 1024;
/** Texts that a shopper may choose. Each makes the search look at many sequences. */
const PARTS: readonly (readonly [name: string, text: string])[] = [
  ['one long number', '4'],
  ['single digits', '4 '],
  ['single digits of other scripts', '𝟜 '],
  ['card numbers', '4111 1111 1111 1111 '],
  ['escaped digits', '\\u0034 '],
];
const MEASURED = 21;

const medianMs = (body: string): number => {
  const times = Array.from({ length: MEASURED }, () => {
    const began = performance.now();
    maskJson(body);
    return performance.now() - began;
  });
  return times.sort((a, b) => a - b)[MEASURED >> 1] as number;
};

export const measureCardNumbers = (): CardNumberCost => {
  const costs = PARTS.map(([worst, text]) => {
    const ms = medianMs(`{"text":"${text.repeat(LENGTH / text.length)}"}`);
    return { kib: LENGTH / 1024, worst, ms };
  });
  return costs.reduce((worst, cost) => (cost.ms > worst.ms ? cost : worst));
};
