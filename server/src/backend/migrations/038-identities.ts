/** The identity at an OpenID provider that a person signs in with: issuer and subject. Null before the first time. */
export const identities = `
ALTER TABLE people ADD COLUMN sso_issuer TEXT;
ALTER TABLE people ADD COLUMN sso_subject TEXT;
CREATE UNIQUE INDEX people_by_identity ON people (sso_issuer, sso_subject);
`;
