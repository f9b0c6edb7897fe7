/**
 * Models that scored accounts without a model of their own: each shipped model and each one that MODEL_FILE named.
 * Decisions refer to them, and are explained by them, even after a release or a setting has replaced them.
 */
export const baseModels = `
CREATE TABLE base_models (
  model_version TEXT PRIMARY KEY,
  file TEXT NOT NULL
);
`;
