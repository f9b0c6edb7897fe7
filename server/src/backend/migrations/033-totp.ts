/**
 * The second factor of a person: the sealed secret, when it was confirmed by a code, and the step of the last code, which
 * cannot be used again. Recovery codes are stored as hashes, and deleted when they are used.
 */
export const totp = `
ALTER TABLE people ADD COLUMN totp BLOB;
ALTER TABLE people ADD COLUMN totp_confirmed_at BIGINT;
ALTER TABLE people ADD COLUMN totp_step BIGINT;

CREATE TABLE recovery_codes (
  person TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (person, hash)
);
`;
