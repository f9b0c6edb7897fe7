/**
 * How a fraud was done, where the caller said so: in a label, a review and the resolution of a case. `replaced_reason`
 * is the reason of the label before it, whose effect on histories a label replaces.
 */
export const labelReasons = `
ALTER TABLE labels ADD COLUMN reason TEXT;
ALTER TABLE labels ADD COLUMN replaced_reason TEXT;
ALTER TABLE reviews ADD COLUMN reason TEXT;
ALTER TABLE cases ADD COLUMN reason TEXT;
`;
