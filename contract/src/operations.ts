import type { Operation } from './operation.ts';
import { listsOperations } from './operations-lists.ts';
import { policyOperations } from './operations-policy.ts';
import { rulesOperations } from './operations-rules.ts';
import { screeningOperations } from './operations-screening.ts';
import { webhooksOperations } from './operations-webhooks.ts';

export { type Operation, type Permission, ROLE_PERMISSIONS } from './operation.ts';

export const TAGS: Readonly<Record<string, string>> = {
  Transactions: 'Screen payments and read the results.',
  Events: 'Screen logins, signups and other user actions.',
  Users: 'What is known of a user.',
  Decisions: 'Why screening decided as it did, and manual overrides.',
  Cases: 'Items that wait for a person.',
  Labels: 'What is known of an item in hindsight: fraud or legitimate.',
  Webhooks: 'Endpoints to notify.',
  'API keys': 'Who may call.',
  Lists: 'Users, addresses, devices and others that you block, review, trust, or ask for in rules.',
  Rules: 'Conditions of your own, and what follows from them.',
  Policy: 'What turns a score into a decision.',
  Backtests: 'What a rule or a policy would have done.',
  Models: 'What says how likely fraud is, learned from what you label.',
  Audit: 'Who changed what.',
};

/** The whole `/v1` interface: routes, roles, OpenAPI and clients are made from this table. */
export const operations = {
  ...screeningOperations,
  ...webhooksOperations,
  ...listsOperations,
  ...rulesOperations,
  ...policyOperations,
} satisfies Record<string, Operation>;
export type OperationId = keyof typeof operations;
