// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import type { Erasure, PrivacyRequest } from './types.ts';

export const makePrivacy = (call: Call) => ({
  /**
   * Export a person.
   *
   * A JSON file with everything that is stored about a person: transactions and events as they are stored, decisions with their reasons, cases, reviews, labels, risk profiles and list entries. It is sent piece by piece; if it fails on its way, the connection is closed before the end of the response. Requires the permission `read_personal` too.
   *
   * Requires the permission `administer`.
   */
  createExport: (body: PrivacyRequest, options?: PostOptions): Promise<string> =>
    call<string>('POST', '/v1/privacy/exports', { body, isText: true }, options),

  /**
   * Erase a person.
   *
   * Takes a person out of everything that is stored: screenings, cases, reviews, labels, histories, search, webhook messages, stored responses, list entries and the audit log. Decisions and figures stay, without the person: their `user_id` is empty. It runs in the background, also through restarts of the service. Items that are screened after the request belong to a stranger.
   *
   * Requires the permission `administer`.
   */
  createErasure: (body: PrivacyRequest, options?: PostOptions): Promise<Erasure> =>
    call<Erasure>('POST', '/v1/privacy/erasures', { body }, options),

  /**
   * Get an erasure.
   *
   * Requires the permission `administer`. Specific errors: `not_found`.
   */
  getErasure: (erasure_id: string, options?: CallOptions): Promise<Erasure> =>
    call<Erasure>('GET', '/v1/privacy/erasures/{erasure_id}', { params: { erasure_id } }, options),
});
