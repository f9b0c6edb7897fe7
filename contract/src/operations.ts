import type { Static, TSchema } from 'typebox';
import type { Operation } from './operation.ts';
import { casesOperations } from './operations-cases.ts';
import { importOperations } from './operations-imports.ts';
import { listsOperations } from './operations-lists.ts';
import { peopleOperations } from './operations-people.ts';
import { policyOperations } from './operations-policy.ts';
import { privacyOperations } from './operations-privacy.ts';
import { rulesOperations } from './operations-rules.ts';
import { screeningOperations } from './operations-screening.ts';
import { searchOperations } from './operations-search.ts';
import { statsOperations } from './operations-stats.ts';
import { viewsOperations } from './operations-views.ts';
import { webhooksOperations } from './operations-webhooks.ts';

export { EVENT_STREAM, type Operation, permissionText } from './operation.ts';

export const TAGS: Readonly<Record<string, string>> = {
  Transactions: 'Screen payments and read the results.',
  Events: 'Screen logins, signups and other user actions.',
  Screenings: 'Search over all screened transactions and events.',
  Users: 'Your users and their risk profiles.',
  Links: 'Users and the devices, addresses and instruments they share.',
  Stats: 'Decisions, amounts, scores, signals and cases in figures.',
  Feed: 'New cases, reviews and blocks as they happen.',
  Decisions: 'Reasons of each decision, and manual overrides.',
  Cases: 'Transactions and events that wait for manual review.',
  Labels: 'Confirmed outcomes: fraud or legitimate.',
  Imports: 'Past transactions and events, from before you used Portcullis.',
  Webhooks: 'Endpoints that receive signed notifications.',
  'API keys': 'Keys that authenticate callers.',
  People: 'People who sign in to the console, and their roles.',
  Settings: 'Settings of the account.',
  Views: 'Saved views of the pages of your tool.',
  Lists: 'Users, addresses, devices and other values that you block, review, trust or use in rules.',
  Rules: 'Your own conditions, with the points or decision that each adds.',
  Policy: 'Thresholds and points that turn signals into a score and a decision.',
  Backtests: 'Effect of a rule or a policy on past screenings.',
  Models: 'Models that estimate the probability of fraud, trained on your labels.',
  Audit: 'Log of the changes that administrators make.',
  Privacy: 'Export of everything that is stored about a person, and erasure.',
};

/** The whole `/v1` interface. Routes, roles, the OpenAPI document and clients are generated from this table. */
export const operations = {
  ...screeningOperations,
  ...casesOperations,
  ...searchOperations,
  ...statsOperations,
  ...importOperations,
  ...webhooksOperations,
  ...peopleOperations,
  ...viewsOperations,
  ...listsOperations,
  ...rulesOperations,
  ...policyOperations,
  ...privacyOperations,
} satisfies Record<string, Operation>;
export type OperationId = keyof typeof operations;
type Operations = typeof operations;

/** Body of a valid request to the operation; undefined where it takes none. */
export type BodyOf<Id extends OperationId> = Operations[Id] extends { readonly body: infer T extends TSchema }
  ? Static<T>
  : undefined;

/** Query parameters of a valid request to the operation; undefined where it takes none. */
export type QueryOf<Id extends OperationId> = Operations[Id] extends { readonly query: infer T extends TSchema }
  ? Static<T>
  : undefined;

/** Path parameters of the operation. */
export type ParamsOf<Id extends OperationId> = Operations[Id] extends { readonly params: infer T }
  ? { readonly [Name in keyof T]: string }
  : Readonly<Record<never, string>>;
