/**
 * The number of the last audit entry of a tenant that was handed over to a destination outside the database. It only
 * grows.
 */
export const auditStreamed = `
CREATE TABLE audit_streamed (
  destination TEXT NOT NULL,
  tenant BIGINT NOT NULL,
  number BIGINT NOT NULL,
  PRIMARY KEY (destination, tenant)
);
`;
