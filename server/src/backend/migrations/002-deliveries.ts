/**
 * Deliveries of messages to endpoints. The first index contains only pending deliveries: it is queried all the time,
 * and nearly every delivery has ended. The second lets people list one status; without it, a query that finds none
 * among millions would delay every screening.
 */
export const deliveries = `
CREATE TABLE deliveries (
  webhook_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  tenant BIGINT NOT NULL,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  status TEXT NOT NULL,
  due_at BIGINT NOT NULL,
  attempts TEXT NOT NULL,
  PRIMARY KEY (webhook_id, message_id)
);
CREATE INDEX deliveries_owed ON deliveries (webhook_id, due_at, message_id) WHERE status = 'owed';
CREATE INDEX deliveries_by_status ON deliveries (webhook_id, status, message_id);
INSERT INTO deliveries (webhook_id, message_id, tenant, type, body, created_at, status, due_at, attempts)
  SELECT webhook_id, message_id, tenant, type, body, created_at, 'owed', 0, '[]' FROM outbox;
DROP TABLE outbox;

ALTER TABLE webhooks ADD COLUMN failing_since BIGINT;
ALTER TABLE webhooks ADD COLUMN sealed_previous_secret BLOB;
ALTER TABLE webhooks ADD COLUMN previous_until BIGINT;

ALTER TABLE cases ADD COLUMN expiry_told BIGINT NOT NULL DEFAULT 0;
CREATE INDEX cases_to_expire ON cases (expires_at) WHERE status = 'open' AND expiry_told = 0;
`;
