import { expect } from 'vitest';
import { payment } from '../../server/test/fixtures/harness.ts';
import type { PortcullisError, TransactionRequest } from '../src/index.ts';

/** A valid payment in the types of the client. */
export const pay = (more: Partial<TransactionRequest> = {}): TransactionRequest =>
  payment(more) as unknown as TransactionRequest;

/** The error of a call that must fail. */
export const errorOf = (call: Promise<unknown>): Promise<PortcullisError> =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error) => error,
  );
