/**
 * The kinds of entity that a fraud label blames in their histories, as a bit mask. `replaced_actors` are those of the
 * label before it: a label takes back exactly what that one counted, even after the rules for it have changed. Null in
 * rows of before: their masks follow from the facts of the screening.
 */
export const labelActors = `
ALTER TABLE labels ADD COLUMN actors BIGINT;
ALTER TABLE labels ADD COLUMN replaced_actors BIGINT;
`;
