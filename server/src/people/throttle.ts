import type { Backend, Statement } from '../backend/backend.ts';
import { clientNetwork } from '../http/client-address.ts';
import { ApiError } from '../validation/errors.ts';
import { deleteFailures, type FailureRow, forgiveFailure, putFailure, readFailures } from './failure-store.ts';
import { hashToken } from './token.ts';

/** Failures allowed before the first wait. Many people can share one IP address. */
const FREE = { email: 5, address: 20 };
const FIRST_WAIT_MS = 5000;
const MAX_WAIT_MS = 15 * 60_000;
/** After this long without a failure, the counter is reset. */
export const FORGET_FAILURES_MS = 24 * 3_600_000;

/** How long after its last failure a name must wait. The wait doubles with each failure. */
const waitMs = (failures: number, free: number): number =>
  failures < free ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - free, 20));

const tooMany = (seconds: number): ApiError =>
  new ApiError(
    'rate_limited',
    `Too many failed sign-ins for this e-mail address or from your IP address. Retry after ${seconds} second${seconds === 1 ? '' : 's'}.`,
    { headers: { 'Retry-After': String(seconds) } },
  );

/** An attempt that counts as failed until it succeeds. */
export interface Attempt {
  /** Statements for a sign-in that succeeds: it clears the failures of the person, and takes back its own. */
  readonly succeed: () => Statement[];
  /** Statements for a right password before the code: it takes back its own failure, and clears no other. */
  readonly forgive: () => Statement[];
}

/**
 * Makes attempts to sign in wait after failures, by e-mail address and by client. Each is counted before its password is
 * checked, so attempts at the same time cannot exceed the limit. The counts are in the store: every process sees them.
 */
export const makeThrottle = (backend: Backend, clock: () => number) => {
  /** Without an e-mail address, failures count only by client. */
  const begin = async (email: string | undefined, address: string): Promise<Attempt> => {
    const emailName = email === undefined ? undefined : hashToken('sign-in', `e-mail ${email}`);
    const addressName = hashToken('sign-in', `address ${clientNetwork(address)}`);
    for (;;) {
      const now = clock();
      const rows = await readFailures(backend, [emailName ?? addressName, addressName]);
      const limitOf = (name: string, free: number) => {
        const row = rows.find((candidate) => candidate.name === name);
        const failures = row === undefined || now - row.failed_at > FORGET_FAILURES_MS ? 0 : row.failures;
        const after: FailureRow = { name, failures: failures + 1, failed_at: now };
        return { row, after, until: (row?.failed_at ?? 0) + waitMs(failures, free) };
      };
      const byAddress = limitOf(addressName, FREE.address);
      const byEmail = emailName === undefined ? [] : [limitOf(emailName, FREE.email)];
      const limits = [...byEmail, byAddress];
      const leftMs = Math.max(...limits.map(({ until }) => until)) - now;
      if (leftMs > 0) throw tooMany(Math.ceil(leftMs / 1000));
      const counted = limits.map(({ row, after }) => putFailure(row, after));
      // Otherwise another attempt was counted first: look again.
      if (!(await backend.write(counted)).written) continue;
      const forgiveAddress = forgiveFailure(byAddress.after, byAddress.row?.failed_at ?? 0);
      return {
        succeed: () => [...(emailName === undefined ? [] : [deleteFailures(emailName)]), forgiveAddress],
        forgive: () => limits.map(({ row, after }) => forgiveFailure(after, row?.failed_at ?? 0)),
      };
    }
  };
  return { begin };
};
export type Throttle = ReturnType<typeof makeThrottle>;
