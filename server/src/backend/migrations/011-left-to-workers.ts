/**
 * Trainings and backtests that are left to a worker process: `alive_until` is -1 until a worker starts them. The worker
 * needs `maturity_days` of the request.
 */
export const leftToWorkers = `
ALTER TABLE trainings ADD COLUMN maturity_days BIGINT NOT NULL DEFAULT 30;
CREATE INDEX backtests_waiting ON backtests (id) WHERE status = 'running' AND alive_until = -1;
`;
