/** The main reasons of a case in one line. Null in cases that an earlier version opened. */
export const caseSummaries = `
ALTER TABLE cases ADD COLUMN summary TEXT;
`;
