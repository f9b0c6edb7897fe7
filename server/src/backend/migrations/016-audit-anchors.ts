/**
 * Where the audit log is anchored. A place that is listed here and has no anchor has lost it: without this list it
 * would look like a new installation.
 */
export const auditAnchors = `
CREATE TABLE audit_anchors (
  place TEXT PRIMARY KEY,
  created_at BIGINT NOT NULL
);
`;
