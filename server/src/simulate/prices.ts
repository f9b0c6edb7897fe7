import { inDollars } from '@portcullis/contract/values';
import type { Draw } from './random.ts';
import type { World } from './world.ts';

/** Currencies without minor units in daily use. */
const WHOLE_UNIT_CURRENCIES = new Set(['JPY', 'KRW', 'VND', 'IDR', 'COP', 'NGN', 'PKR', 'ARS', 'KES']);

/** The listed price closest to an amount. */
const nearest = (prices: readonly number[], dollars: number): number => {
  let best = prices[0] as number;
  for (const price of prices) if (Math.abs(price - dollars) < Math.abs(best - dollars)) best = price;
  return best;
};

/** A price as shops write it. Attackers pay the same prices as all customers. */
export const priceOf = (world: World, draw: Draw, dollars: number, currency: string): number => {
  const { prices } = world;
  const isListed = prices.length > 0 && dollars < (prices.at(-1) as number) * 1.5;
  const units = (isListed ? nearest(prices, dollars) : dollars) / inDollars(1, currency);
  if (WHOLE_UNIT_CURRENCIES.has(currency)) {
    const step = units > 50_000 ? 500 : units > 1000 ? 10 : 1;
    return Math.max(step, Math.round(units / step) * step);
  }
  // A listed price is the same every time.
  const style = isListed ? Math.floor(units * 7) % 3 : draw.weighted([0, 1, 2, 3], world.priceWeights);
  if (style === 1) return Math.floor(units) + 0.99;
  if (style === 2 && units >= 2) return Math.round(units);
  if (style === 3 && units >= 2) return Math.round(units * 2) / 2 - (draw.chance(0.5) ? 0.05 : 0);
  return Math.max(0.01, Math.round(units * 100) / 100);
};

/** A round amount in a currency, close to an amount in dollars. */
export const roundOf = (dollars: number, currency: string): number => {
  const units = dollars / inDollars(1, currency);
  let step = 1;
  while (step * 10 <= units) step *= 10;
  const fine = units / step >= 5 ? step / 2 : step / 4;
  return Math.max(1, Math.round(Math.round(units / fine) * fine));
};
