// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions } from './call.ts';

import type { Entity, LinkQuery, Links } from './types.ts';

export const makeLinks = (call: Call) => ({
  /**
   * Get the users and values that an entity is linked to.
   *
   * Users are linked through the devices, addresses, e-mail addresses, payment instruments and payees that they share. A search of a quarter of a second, which reads the newest 300 items of each node. `cut` says what was left out.
   *
   * Requires the permission `read_personal`.
   */
  get: (query: LinkQuery, options?: CallOptions): Promise<Links> => call<Links>('GET', '/v1/links', { query }, options),

  /**
   * Get a user, device, address, e-mail address, payment instrument or payee in figures.
   *
   * How often and by how many users it was used, what was decided, what the service knows of it, and the lists it is on. The value is compared as screening compares it.
   *
   * Requires the permission `read_personal`. Specific errors: `not_found`.
   */
  getEntity: (kind: string, value: string, options?: CallOptions): Promise<Entity> =>
    call<Entity>('GET', '/v1/entities/{kind}/{value}', { params: { kind, value } }, options),
});
