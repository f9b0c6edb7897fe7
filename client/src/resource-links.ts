// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions } from './call.ts';

import type { LinkQuery, Links } from './types.ts';

export const makeLinks = (call: Call) => ({
  /**
   * Get the users and values that an entity is linked to.
   *
   * Users are linked through the devices, addresses, e-mail addresses, payment instruments and payees that they share. A search of a quarter of a second, which reads the newest 300 items of each node. `cut` says what was left out.
   *
   * Requires the permission `read_personal`.
   */
  get: (query: LinkQuery, options?: CallOptions): Promise<Links> => call<Links>('GET', '/v1/links', { query }, options),
});
