/** Who made a key, and when it was used last, up to an hour ago. Null in keys of earlier versions. */
export const keyUses = `
ALTER TABLE api_keys ADD COLUMN made_by TEXT;
ALTER TABLE api_keys ADD COLUMN last_used_at BIGINT;
`;
