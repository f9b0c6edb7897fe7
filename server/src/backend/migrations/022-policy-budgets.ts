/** How many legitimate items an account accepts to hold, as JSON by subject type. Null where none is set. */
export const policyBudgets = `
ALTER TABLE policies ADD COLUMN budget TEXT;
`;
