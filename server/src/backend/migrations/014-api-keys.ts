/**
 * `hash_version` is the version of the data key that the hash of the key was made with, or last upgraded to. The other
 * columns limit a key: when it ends, where it works (a JSON array of CIDR ranges) and what it may do (a JSON array of
 * permissions). NULL means no limit.
 */
export const apiKeys = `
ALTER TABLE api_keys ADD COLUMN hash_version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE api_keys ADD COLUMN expires_at BIGINT;
ALTER TABLE api_keys ADD COLUMN allowed_networks TEXT;
ALTER TABLE api_keys ADD COLUMN permissions TEXT;
`;
