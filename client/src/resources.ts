// Generated from the contract by `npm run client`. Do not edit.

import type { Call } from './call.ts';
import { makeApiKeys } from './resource-api-keys.ts';
import { makeAudit } from './resource-audit.ts';
import { makeBacktests } from './resource-backtests.ts';
import { makeCases } from './resource-cases.ts';
import { makeDecisions } from './resource-decisions.ts';
import { makeEvents } from './resource-events.ts';
import { makeFeed } from './resource-feed.ts';
import { makeImports } from './resource-imports.ts';
import { makeLabels } from './resource-labels.ts';
import { makeLinks } from './resource-links.ts';
import { makeLists } from './resource-lists.ts';
import { makeModels } from './resource-models.ts';
import { makePeople } from './resource-people.ts';
import { makePolicy } from './resource-policy.ts';
import { makePrivacy } from './resource-privacy.ts';
import { makeRules } from './resource-rules.ts';
import { makeScreenings } from './resource-screenings.ts';
import { makeSettings } from './resource-settings.ts';
import { makeStats } from './resource-stats.ts';
import { makeTransactions } from './resource-transactions.ts';
import { makeUsers } from './resource-users.ts';
import { makeViews } from './resource-views.ts';
import { makeWebhooks } from './resource-webhooks.ts';

/** The API release this client was generated for. It requests this release. */
export const API_VERSION = '2026-11-01';

export const makeResources = (call: Call) => ({
  /** Screen payments and read the results. */
  transactions: makeTransactions(call),
  /** Screen logins, signups and other user actions. */
  events: makeEvents(call),
  /** Search over all screened transactions and events. */
  screenings: makeScreenings(call),
  /** Your users and their risk profiles. */
  users: makeUsers(call),
  /** Users and the devices, addresses and instruments they share. */
  links: makeLinks(call),
  /** Decisions, amounts, scores, signals and cases in figures. */
  stats: makeStats(call),
  /** New cases, reviews and blocks as they happen. */
  feed: makeFeed(call),
  /** Reasons of each decision, and manual overrides. */
  decisions: makeDecisions(call),
  /** Transactions and events that wait for manual review. */
  cases: makeCases(call),
  /** Confirmed outcomes: fraud or legitimate. */
  labels: makeLabels(call),
  /** Past transactions and events, from before you used Portcullis. */
  imports: makeImports(call),
  /** Endpoints that receive signed notifications. */
  webhooks: makeWebhooks(call),
  /** Keys that authenticate callers. */
  apiKeys: makeApiKeys(call),
  /** People who sign in to the console, and their roles. */
  people: makePeople(call),
  /** Settings of the account. */
  settings: makeSettings(call),
  /** Saved views of the pages of your tool. */
  views: makeViews(call),
  /** Users, addresses, devices and other values that you block, review, trust or use in rules. */
  lists: makeLists(call),
  /** Your own conditions, with the points or decision that each adds. */
  rules: makeRules(call),
  /** Thresholds and points that turn signals into a score and a decision. */
  policy: makePolicy(call),
  /** Effect of a rule or a policy on past screenings. */
  backtests: makeBacktests(call),
  /** Models that estimate the probability of fraud, trained on your labels. */
  models: makeModels(call),
  /** Log of the changes that administrators make. */
  audit: makeAudit(call),
  /** Export of everything that is stored about a person, and erasure. */
  privacy: makePrivacy(call),
});
