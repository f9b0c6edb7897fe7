/**
 * Trainings and backtests that a process was asked for which leaves them to workers: until one begins, `alive_until` is -1. Whoever begins a training must know
 * what was asked.
 */
export const leftToWorkers = `
ALTER TABLE trainings ADD COLUMN maturity_days BIGINT NOT NULL DEFAULT 30;
CREATE INDEX backtests_waiting ON backtests (id) WHERE status = 'running' AND alive_until = -1;
`;
