// Made from the contract by `npm run client`; not to be edited.

import type { Call } from './call.ts';
import { makeApiKeys } from './resource-api-keys.ts';
import { makeAudit } from './resource-audit.ts';
import { makeBacktests } from './resource-backtests.ts';
import { makeCases } from './resource-cases.ts';
import { makeDecisions } from './resource-decisions.ts';
import { makeEvents } from './resource-events.ts';
import { makeLabels } from './resource-labels.ts';
import { makeLists } from './resource-lists.ts';
import { makeModels } from './resource-models.ts';
import { makePolicy } from './resource-policy.ts';
import { makeRules } from './resource-rules.ts';
import { makeTransactions } from './resource-transactions.ts';
import { makeUsers } from './resource-users.ts';
import { makeWebhooks } from './resource-webhooks.ts';

/** The release of the API that this client was made for, and asks for. */
export const API_VERSION = '2026-11-01';

export const makeResources = (call: Call) => ({
  /** Screen payments and read the results. */
  transactions: makeTransactions(call),
  /** Screen logins, signups and other user actions. */
  events: makeEvents(call),
  /** What is known of a user. */
  users: makeUsers(call),
  /** Why screening decided as it did, and manual overrides. */
  decisions: makeDecisions(call),
  /** Items that wait for a person. */
  cases: makeCases(call),
  /** What is known of an item in hindsight: fraud or legitimate. */
  labels: makeLabels(call),
  /** Endpoints to notify. */
  webhooks: makeWebhooks(call),
  /** Who may call. */
  apiKeys: makeApiKeys(call),
  /** Users, addresses, devices and others that you block, review, trust, or ask for in rules. */
  lists: makeLists(call),
  /** Conditions of your own, and what follows from them. */
  rules: makeRules(call),
  /** What turns a score into a decision. */
  policy: makePolicy(call),
  /** What a rule or a policy would have done. */
  backtests: makeBacktests(call),
  /** What says how likely fraud is, learned from what you label. */
  models: makeModels(call),
  /** Who changed what. */
  audit: makeAudit(call),
});
