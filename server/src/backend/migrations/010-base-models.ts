/**
 * What accounts without a model of their own were scored by: each model that shipped or that MODEL_FILE named, once. Decisions name it, and are told by it also
 * when a release or a setting has put another in its place.
 */
export const baseModels = `
CREATE TABLE base_models (
  model_version TEXT PRIMARY KEY,
  file TEXT NOT NULL
);
`;
