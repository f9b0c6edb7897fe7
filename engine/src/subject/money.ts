import { inDollars } from '@portcullis/contract/values';
import { grouped } from '../words.ts';
import type { Subject } from './subject.ts';

/** Digits after the decimal point, by currency. */
const fractions = new Map<string, number>();
const fractionOf = (currency: string): number => {
  let digits = fractions.get(currency);
  if (digits === undefined) {
    digits = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
    fractions.set(currency, digits);
  }
  return digits;
};

/** Writes an amount: `EUR 1,234.50`, `JPY 1,235`. */
const writeAmount = (amount: number, currency: string): string => {
  const [whole = '', fraction] = amount.toFixed(fractionOf(currency)).split('.');
  return `${currency} ${grouped(whole)}${fraction === undefined ? '' : `.${fraction}`}`;
};

/**
 * Writes an amount of US dollars in the currency of the payment, so that an analyst can compare it with the order.
 * Events have no currency, and some currencies no rate: there it is in US dollars.
 */
export const money = (subject: Subject, dollars: number): string => {
  const currency = subject.type === 'transaction' ? subject.request.currency : 'USD';
  const unit = inDollars(1, currency);
  return Number.isNaN(unit) ? writeAmount(dollars, 'USD') : writeAmount(dollars / unit, currency);
};
