import type { Backend, Statement } from '../backend/backend.ts';

export interface TotpRow {
  readonly id: string;
  /** The sealed secret; null for a person without a second factor. */
  readonly totp: Uint8Array | null;
  /** Null until a code has confirmed the secret. */
  readonly totp_confirmed_at: number | null;
  /** The step of the last code. */
  readonly totp_step: number | null;
}

const SELECT = 'SELECT id, totp, totp_confirmed_at, totp_step FROM people';

export const readTotp = async (backend: Backend, person: string): Promise<TotpRow | undefined> =>
  (await backend.read<TotpRow>(`${SELECT} WHERE id = ?`, person))[0];

/** Rows with a secret, after an id. */
export const totpAfter = (backend: Backend, id: string, limit: number): Promise<TotpRow[]> =>
  backend.read<TotpRow>(`${SELECT} WHERE totp IS NOT NULL AND id > ? ORDER BY id LIMIT ?`, id, limit);

/** Stores a secret that no code has confirmed. Refused while a confirmed one exists. */
export const putTotp = (person: string, sealed: Uint8Array): Statement => ({
  sql: 'UPDATE people SET totp = ?, totp_step = NULL WHERE id = ? AND totp_confirmed_at IS NULL',
  params: [sealed, person],
  expect: 1,
});

/** Uses a code. Refused for one of a used step, so of two requests with one code the second fails. */
export const useStep = (person: string, step: number): Statement => ({
  sql: 'UPDATE people SET totp_step = ? WHERE id = ? AND totp IS NOT NULL AND (totp_step IS NULL OR totp_step < ?)',
  params: [step, person, step],
  expect: 1,
});

export const confirmTotp = (person: string, now: number): Statement => ({
  sql: 'UPDATE people SET totp_confirmed_at = ? WHERE id = ? AND totp IS NOT NULL AND totp_confirmed_at IS NULL',
  params: [now, person],
  expect: 1,
});

export const clearTotp = (person: string): Statement => ({
  sql: 'UPDATE people SET totp = NULL, totp_confirmed_at = NULL, totp_step = NULL WHERE id = ?',
  params: [person],
});

export const replaceSealedTotp = (person: string, before: Uint8Array, after: Uint8Array): Statement => ({
  sql: 'UPDATE people SET totp = ? WHERE id = ? AND totp = ?',
  params: [after, person, before],
});

export const insertRecoveryCode = (person: string, hash: string): Statement => ({
  sql: 'INSERT INTO recovery_codes (person, hash) VALUES (?, ?)',
  params: [person, hash],
});

/** Refused for an unknown code, and for one that was used. */
export const useRecoveryCode = (person: string, hash: string): Statement => ({
  sql: 'DELETE FROM recovery_codes WHERE person = ? AND hash = ?',
  params: [person, hash],
  expect: 1,
});

export const deleteRecoveryCodes = (person: string): Statement => ({
  sql: 'DELETE FROM recovery_codes WHERE person = ?',
  params: [person],
});
