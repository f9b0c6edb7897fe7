import type { Statement } from '../backend/backend.ts';
import type { Seal } from '../secrets/seal.ts';
import type { PersonDeps } from './person-deps.ts';
import type { PersonRow } from './store.ts';
import { hashToken } from './token.ts';
import { plainRecoveryCode, stepOfCode } from './totp.ts';
import { readTotp, replaceSealedTotp, totpAfter, useRecoveryCode, useStep } from './totp-store.ts';

/** Binds a sealed secret to its row. */
export const totpContext = (person: string): string => `totp ${person}`;

export const hashRecoveryCode = (person: string, typed: string): string =>
  hashToken('recovery', `${person} ${plainRecoveryCode(typed)}`);

const RECOVERY_CODE = /^[a-z2-7]{16}$/;

/**
 * The statement that uses a code of the app. It is refused for a code that another request used first. Undefined for a
 * code that is wrong or was used.
 */
export const useAppCode = async (
  { backend, seal, clock }: PersonDeps,
  { id }: PersonRow,
  code: string,
): Promise<Statement | undefined> => {
  const row = await readTotp(backend, id);
  if (row === undefined || row.totp === null) return undefined;
  const step = stepOfCode(seal.open(row.totp, totpContext(id)), code.replaceAll(' ', ''), clock(), row.totp_step);
  return step === undefined ? undefined : useStep(id, step);
};

/** The same for a code of the app or a recovery code. */
export const useCode = async (deps: PersonDeps, person: PersonRow, code: string): Promise<Statement | undefined> =>
  RECOVERY_CODE.test(plainRecoveryCode(code))
    ? useRecoveryCode(person.id, hashRecoveryCode(person.id, code))
    : useAppCode(deps, person, code);

const TICKET_MS = 10 * 60_000;
const TICKET_CONTEXT = 'sign-in ticket';

interface Ticket {
  readonly person: string;
  readonly account: string;
  /** Hash of the stored password hash: a ticket ends when the password changes. */
  readonly password: string;
  readonly until: number;
}
const passwordMark = ({ password }: PersonRow): string => hashToken('sign-in', `ticket ${password}`);

/** Proves for ten minutes that the password was right. It is sealed, so nothing of it is stored. */
export const makeTicket = (seal: Seal, person: PersonRow, now: number): string => {
  const ticket: Ticket = {
    person: person.id,
    account: person.account,
    password: passwordMark(person),
    until: now + TICKET_MS,
  };
  return Buffer.from(seal.seal(JSON.stringify(ticket), TICKET_CONTEXT)).toString('base64url');
};

const openTicket = (seal: Seal, text: string): Ticket | undefined => {
  try {
    return JSON.parse(seal.open(Buffer.from(text, 'base64url'), TICKET_CONTEXT)) as Ticket;
  } catch {
    return undefined;
  }
};

/** The ticket's person, if it is valid now; `find` reads the person. */
export const personOfTicket = async (
  seal: Seal,
  text: string,
  now: number,
  find: (account: string, id: string) => Promise<PersonRow | undefined>,
): Promise<PersonRow | undefined> => {
  const ticket = openTicket(seal, text);
  if (ticket === undefined || ticket.until <= now) return undefined;
  const person = await find(ticket.account, ticket.person);
  return person !== undefined && passwordMark(person) === ticket.password ? person : undefined;
};

const PAGE_ROWS = 500;

/** Seals all secrets with the current version of the data key. */
export const resealTotp = async (backend: PersonDeps['backend'], seal: Seal): Promise<void> => {
  for (let after = ''; ; ) {
    const rows = await totpAfter(backend, after, PAGE_ROWS);
    const statements = rows.flatMap(({ id, totp }) => {
      const resealed = totp === null ? undefined : seal.reseal(totp, totpContext(id));
      return totp === null || resealed === undefined ? [] : [replaceSealedTotp(id, totp, resealed.sealed)];
    });
    if (statements.length > 0) await backend.write(statements);
    after = rows.at(-1)?.id ?? after;
    if (rows.length < PAGE_ROWS) return;
  }
};
