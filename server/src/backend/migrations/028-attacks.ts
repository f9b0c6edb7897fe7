/**
 * The attack that a case belongs to: the id of its first case. Null in cases of earlier versions. `attack_links` has the
 * attack of each user and device with a case in the last day, by the key of their identity.
 */
export const attacks = `
ALTER TABLE cases ADD COLUMN attack TEXT;
CREATE INDEX cases_by_attack ON cases (tenant, attack, created_at, id) WHERE attack IS NOT NULL;

CREATE TABLE attack_links (
  tenant BIGINT NOT NULL,
  link BIGINT NOT NULL,
  attack TEXT NOT NULL,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, link)
);
CREATE INDEX attack_links_by_time ON attack_links (seen_at);
`;
