/**
 * What the list of cases shows and filters by. The columns of the item are null in cases of earlier versions, and where
 * the item has no such value. A snoozed case is given to nobody until `snoozed_until`.
 */
export const caseColumns = `
ALTER TABLE cases ADD COLUMN amount DOUBLE PRECISION;
ALTER TABLE cases ADD COLUMN currency TEXT;
ALTER TABLE cases ADD COLUMN usd DOUBLE PRECISION;
ALTER TABLE cases ADD COLUMN country TEXT;
ALTER TABLE cases ADD COLUMN event_type TEXT;
ALTER TABLE cases ADD COLUMN snoozed_until BIGINT;
ALTER TABLE cases ADD COLUMN notes_count BIGINT NOT NULL DEFAULT 0;
UPDATE cases SET notes_count = (SELECT COUNT(*) FROM case_notes n WHERE n.tenant = cases.tenant AND n.case_id = cases.id)
  WHERE EXISTS (SELECT 1 FROM case_notes n WHERE n.tenant = cases.tenant AND n.case_id = cases.id);
`;
