// Made from the contract by `npm run client`; not to be edited.

import type { Call, CallOptions, PostOptions } from './call.ts';

import type { Model, ModelList, PromotionRequest, Training, TrainingRequest } from './types.ts';

export const makeModels = (call: Call) => ({
  /**
   * List models.
   *
   * Newest first, the one that ships last.
   *
   * Needs the permission `read`.
   */
  list: (options?: CallOptions): Promise<ModelList> => call<ModelList>('GET', '/v1/models', {}, options),

  /**
   * Get a model.
   *
   * With the gates it was asked to pass, its curves and what it looks at.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  get: (model_version: string, options?: CallOptions): Promise<Model> =>
    call<Model>('GET', '/v1/models/{model_version}', { params: { model_version } }, options),

  /**
   * Train a model.
   *
   * From what was screened and labelled in production, on top of the model that ships, in the background. It becomes the champion if it passes all gates.
   *
   * Needs the permission `administer`. Errors of its own: `training_in_progress`.
   */
  train: (body: TrainingRequest, options?: PostOptions): Promise<Training> =>
    call<Training>('POST', '/v1/models/train', { body }, options),

  /**
   * Get a training.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  getTraining: (training_id: string, options?: CallOptions): Promise<Training> =>
    call<Training>('GET', '/v1/trainings/{training_id}', { params: { training_id } }, options),

  /**
   * Promote a model.
   *
   * It scores every screening that begins after the answer, in both environments. With a key of production alone.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`, `model_rejected`.
   */
  promote: (model_version: string, body: PromotionRequest, options?: PostOptions): Promise<Model> =>
    call<Model>('POST', '/v1/models/{model_version}/promote', { params: { model_version }, body }, options),

  /**
   * Go back to the model before.
   *
   * In the end to the one that ships. With a key of production alone.
   *
   * Needs the permission `administer`. Errors of its own: `no_earlier_model`.
   */
  rollBack: (options?: PostOptions): Promise<Model> => call<Model>('POST', '/v1/models/rollback', {}, options),
});
