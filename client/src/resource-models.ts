// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import { byCursor } from './pages.ts';
import type {
  Model,
  ModelList,
  PromotionRequest,
  Training,
  TrainingList,
  TrainingQuery,
  TrainingRequest,
} from './types.ts';

export const makeModels = (call: Call) => ({
  /**
   * List models.
   *
   * Newest first; the shipped model comes last. A sandbox key sees only the shipped model.
   *
   * Requires the permission `read`.
   */
  list: (options?: CallOptions): Promise<ModelList> => call<ModelList>('GET', '/v1/models', {}, options),

  /**
   * Get a model.
   *
   * Returns the model with its promotion gates, its curves and its features. An account model needs a production key.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  get: (model_version: string, options?: CallOptions): Promise<Model> =>
    call<Model>('GET', '/v1/models/{model_version}', { params: { model_version } }, options),

  /**
   * Train a model.
   *
   * Fine-tunes the shipped model on the labelled screenings of production, in the background. The new model becomes champion if it passes all gates.
   *
   * Requires the permission `tune`. Specific errors: `training_in_progress`.
   */
  train: (body: TrainingRequest, options?: PostOptions): Promise<Training> =>
    call<Training>('POST', '/v1/models/train', { body }, options),

  /**
   * List trainings.
   *
   * Trainings of the account, newest first, those of every day included. Empty in the sandbox: models belong to production.
   *
   * Requires the permission `read`.
   */
  listTrainings: (query?: TrainingQuery, options?: CallOptions): Promise<TrainingList> =>
    call<TrainingList>('GET', '/v1/trainings', { query }, options),
  /**
   * List trainings: iterates over all of them, and requests each page when it is needed.
   *
   * Trainings of the account, newest first, those of every day included. Empty in the sandbox: models belong to production.
   *
   * Requires the permission `read`.
   */
  iterateTrainings: (query: TrainingQuery = {}, options?: CallOptions): AsyncGenerator<Training, void, undefined> =>
    byCursor(
      (query: TrainingQuery) => call<TrainingList>('GET', '/v1/trainings', { query }, options),
      query,
      (page) => page.trainings,
      (item) => item.training_id,
    ),
  /**
   * Get a training.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  getTraining: (training_id: string, options?: CallOptions): Promise<Training> =>
    call<Training>('GET', '/v1/trainings/{training_id}', { params: { training_id } }, options),

  /**
   * Promote a model.
   *
   * The model scores every screening that starts after the response, in both environments. Requires a production key.
   *
   * Requires the permission `tune`. Specific errors: `not_found`, `model_rejected`.
   */
  promote: (model_version: string, body: PromotionRequest, options?: PostOptions): Promise<Model> =>
    call<Model>('POST', '/v1/models/{model_version}/promote', { params: { model_version }, body }, options),

  /**
   * Roll back to the previous model.
   *
   * Repeated calls end at the shipped model. Requires a production key.
   *
   * Requires the permission `tune`. Specific errors: `no_earlier_model`.
   */
  rollBack: (options?: PostOptions): Promise<Model> => call<Model>('POST', '/v1/models/rollback', {}, options),
});
