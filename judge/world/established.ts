import type { Customer } from './customers.ts';
import type { Step } from './steps.ts';

const MIN_PAYMENTS = 5;

/** A customer with habits. */
export interface Established {
  readonly customer: Customer;
  readonly usualDollars: number;
  readonly payments: number;
}
const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** Customers who paid at least `minPayments` times before `until`. */
export const findEstablished = (
  customers: readonly Customer[],
  steps: readonly Step[],
  until: number,
  minPayments = MIN_PAYMENTS,
): Established[] => {
  const amounts = new Map<unknown, number[]>();
  for (const { at, fields } of steps) {
    if (at >= until || fields.kind !== 'transaction') continue;
    const list = amounts.get(fields.user_id) ?? [];
    amounts.set(fields.user_id, list);
    list.push(fields.amount as number);
  }
  return customers.flatMap((customer) => {
    const paid = amounts.get(customer.id) ?? [];
    return paid.length < minPayments
      ? []
      : [{ customer, usualDollars: medianOf(paid) / customer.country.perDollar, payments: paid.length }];
  });
};
