import { type Operation, operation } from './operation.ts';
import { Erasure, PrivacyExport, PrivacyRequest } from './privacy.ts';

export const privacyOperations = {
  createExport: operation({
    method: 'POST',
    path: '/v1/privacy/exports',
    tag: 'Privacy',
    summary: 'Export a person',
    description:
      'A JSON file with everything that is stored about a person: transactions and events as they are stored, decisions with their reasons, cases, reviews, labels, risk profiles and list entries. It is sent piece by piece; if it fails on its way, the connection is closed before the end of the response. Requires the permission `read_personal` too.',
    permission: 'administer',
    body: PrivacyRequest,
    status: 200,
    response: PrivacyExport,
    streams: { json: 'application/json; charset=utf-8' },
  }),
  createErasure: operation({
    method: 'POST',
    path: '/v1/privacy/erasures',
    tag: 'Privacy',
    summary: 'Erase a person',
    description:
      'Takes a person out of everything that is stored: screenings, cases, reviews, labels, histories, search, webhook messages, stored responses, list entries and the audit log. Decisions and figures stay, without the person: their `user_id` is empty. It runs in the background, also through restarts of the service. Items that are screened after the request belong to a stranger.',
    permission: 'administer',
    body: PrivacyRequest,
    status: 202,
    response: Erasure,
  }),
  getErasure: operation({
    method: 'GET',
    path: '/v1/privacy/erasures/{erasure_id}',
    tag: 'Privacy',
    summary: 'Get an erasure',
    permission: 'administer',
    params: { erasure_id: 'Returned when the erasure was requested.' },
    status: 200,
    response: Erasure,
    errors: ['not_found'],
  }),
} satisfies Record<string, Operation>;
