/** Lists that analysts may add entries to. */
export const openLists = `
ALTER TABLE lists ADD COLUMN open_to_analysts BIGINT NOT NULL DEFAULT 0;
`;
