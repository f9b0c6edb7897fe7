import type { TObject, TSchema } from 'typebox';
import { ApiKeyList, ApiKeyRequest, NewApiKey, type Role } from './api-key.ts';
import { Case, CaseList, CaseQuery, CaseResolution } from './case.ts';
import { Decision, DecisionQuery, ReviewRequest } from './decision.ts';
import type { ErrorCode } from './errors.ts';
import { Event, EventRequest } from './event.ts';
import { Lists } from './list.ts';
import { Transaction, TransactionRequest } from './transaction.ts';
import { RiskProfile } from './user.ts';
import { NewWebhook, WebhookList, WebhookRequest } from './webhook.ts';

/** What a key must be allowed to do. */
export type Permission = 'screen' | 'read' | 'review' | 'administer';

export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  admin: ['screen', 'read', 'review', 'administer'],
  service: ['screen', 'read'],
  analyst: ['read', 'review'],
  reader: ['read'],
};

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As OpenAPI writes it: `/v1/cases/{case_id}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: TObject;
  readonly body?: TObject;
  readonly status: 200 | 201 | 204;
  readonly response?: TSchema;
  /** Beside those any operation may answer. */
  readonly errors?: readonly ErrorCode[];
}

const operation = <const T extends Operation>(of: T): T => of;

export const TAGS: Readonly<Record<string, string>> = {
  Transactions: 'Screen payments and read the results.',
  Events: 'Screen logins, signups and other user actions.',
  Users: 'What is known of a user.',
  Decisions: 'Why screening decided as it did, and manual overrides.',
  Cases: 'Items that wait for a person.',
  Webhooks: 'Endpoints to notify.',
  'API keys': 'Who may call.',
  Lists: 'Values with a decision of their own.',
};

/** The whole `/v1` interface: routes, roles, OpenAPI and clients are made from this table. */
export const operations = {
  screenTransaction: operation({
    method: 'POST',
    path: '/v1/transactions/screen',
    tag: 'Transactions',
    summary: 'Screen a transaction',
    description:
      'Scores the transaction, stores the result and answers with the decision. A `review` opens a case.\n\n' +
      'The address `203.0.113.2` always gets `review` and `203.0.113.3` always `block`, for trying it out.',
    permission: 'screen',
    body: TransactionRequest,
    status: 200,
    response: Transaction,
  }),
  getTransaction: operation({
    method: 'GET',
    path: '/v1/transactions/{transaction_id}',
    tag: 'Transactions',
    summary: 'Get a screened transaction',
    description: 'Results are kept for 90 days.',
    permission: 'read',
    params: { transaction_id: 'From the screening.' },
    status: 200,
    response: Transaction,
    errors: ['not_found'],
  }),
  screenEvent: operation({
    method: 'POST',
    path: '/v1/events',
    tag: 'Events',
    summary: 'Screen an event',
    description: 'Scores a login, signup or other user action. A `review` opens a case.',
    permission: 'screen',
    body: EventRequest,
    status: 200,
    response: Event,
  }),
  getEvent: operation({
    method: 'GET',
    path: '/v1/events/{event_id}',
    tag: 'Events',
    summary: 'Get a screened event',
    description: 'Results are kept for 90 days.',
    permission: 'read',
    params: { event_id: 'From the screening.' },
    status: 200,
    response: Event,
    errors: ['not_found'],
  }),
  getRiskProfile: operation({
    method: 'GET',
    path: '/v1/users/{user_id}/risk-profile',
    tag: 'Users',
    summary: "Get a user's risk profile",
    permission: 'read',
    params: { user_id: 'Your identifier of the user, percent-encoded.' },
    status: 200,
    response: RiskProfile,
    errors: ['not_found'],
  }),
  getDecision: operation({
    method: 'GET',
    path: '/v1/decisions/{decision_id}',
    tag: 'Decisions',
    summary: 'Get a decision',
    description: 'With the factors that make up its score and the reviews it got. Kept for 90 days.',
    permission: 'read',
    params: { decision_id: 'From the screening.' },
    query: DecisionQuery,
    status: 200,
    response: Decision,
    errors: ['not_found'],
  }),
  reviewDecision: operation({
    method: 'POST',
    path: '/v1/decisions/{decision_id}/review',
    tag: 'Decisions',
    summary: 'Override a decision',
    description:
      'May be said again: the last one is in force. An open case of the decision is resolved by the same act.',
    permission: 'review',
    params: { decision_id: 'From the screening.' },
    body: ReviewRequest,
    status: 200,
    response: Decision,
    errors: ['not_found'],
  }),
  listCases: operation({
    method: 'GET',
    path: '/v1/cases',
    tag: 'Cases',
    summary: 'List cases',
    description: 'Newest first.',
    permission: 'read',
    query: CaseQuery,
    status: 200,
    response: CaseList,
  }),
  getCase: operation({
    method: 'GET',
    path: '/v1/cases/{case_id}',
    tag: 'Cases',
    summary: 'Get a case',
    permission: 'read',
    params: { case_id: 'From the screening or the list.' },
    status: 200,
    response: Case,
    errors: ['not_found'],
  }),
  resolveCase: operation({
    method: 'PUT',
    path: '/v1/cases/{case_id}',
    tag: 'Cases',
    summary: 'Resolve a case',
    description: 'Only an open case can be resolved, once, within 7 days.',
    permission: 'review',
    params: { case_id: 'From the screening or the list.' },
    body: CaseResolution,
    status: 200,
    response: Case,
    errors: ['not_found', 'case_not_open', 'case_expired'],
  }),
  createWebhook: operation({
    method: 'POST',
    path: '/v1/webhooks',
    tag: 'Webhooks',
    summary: 'Register a webhook endpoint',
    description: 'The signing secret is in this answer and in no other.',
    permission: 'administer',
    body: WebhookRequest,
    status: 201,
    response: NewWebhook,
  }),
  listWebhooks: operation({
    method: 'GET',
    path: '/v1/webhooks',
    tag: 'Webhooks',
    summary: 'List webhook endpoints',
    permission: 'read',
    status: 200,
    response: WebhookList,
  }),
  deleteWebhook: operation({
    method: 'DELETE',
    path: '/v1/webhooks/{webhook_id}',
    tag: 'Webhooks',
    summary: 'Delete a webhook endpoint',
    description: 'Nothing further is sent to it. A delivery already under way may still arrive.',
    permission: 'administer',
    params: { webhook_id: 'From the registration.' },
    status: 204,
    errors: ['not_found'],
  }),
  createApiKey: operation({
    method: 'POST',
    path: '/v1/api-keys',
    tag: 'API keys',
    summary: 'Create an API key',
    description: 'The secret is in this answer and in no other.',
    permission: 'administer',
    body: ApiKeyRequest,
    status: 201,
    response: NewApiKey,
  }),
  listApiKeys: operation({
    method: 'GET',
    path: '/v1/api-keys',
    tag: 'API keys',
    summary: 'List API keys',
    description: "Those of the calling key's account and environment that are not revoked.",
    permission: 'administer',
    status: 200,
    response: ApiKeyList,
  }),
  deleteApiKey: operation({
    method: 'DELETE',
    path: '/v1/api-keys/{key_id}',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description: 'At once and for good.',
    permission: 'administer',
    params: { key_id: 'From its creation or the list.' },
    status: 204,
    errors: ['not_found'],
  }),
  listLists: operation({
    method: 'GET',
    path: '/v1/lists',
    tag: 'Lists',
    summary: 'List the built-in lists',
    permission: 'administer',
    status: 200,
    response: Lists,
  }),
} satisfies Record<string, Operation>;
export type OperationId = keyof typeof operations;
