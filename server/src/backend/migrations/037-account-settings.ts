/** Settings that an account makes itself, in each environment. An account without a row has the defaults. */
export const accountSettings = `
CREATE TABLE account_settings (
  tenant BIGINT PRIMARY KEY,
  name TEXT,
  time_zone TEXT NOT NULL,
  review_target_minutes BIGINT,
  note_required BIGINT NOT NULL,
  updated_at BIGINT
);
`;
