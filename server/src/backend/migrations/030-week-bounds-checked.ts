import type { WeeklyTable } from './029-week-bounds.ts';

/** Reads the whole table once, beside its writers: rows of before the constraint are now known to meet it. */
export const weekBoundChecked = ({ table }: WeeklyTable): string => `
DO $$
BEGIN
  EXECUTE (SELECT format('ALTER TABLE ${table} VALIDATE CONSTRAINT %I', conname) FROM pg_constraint
    WHERE conrelid = '${table}'::regclass AND conname LIKE '${table}@_before@_%' ESCAPE '@');
END $$;
`;
