import type { Operation, OperationId, operations } from '@portcullis/contract';
import type Type from 'typebox';
import type { TSchema } from 'typebox';
import type { CallOptions, ListenOptions, PortcullisClient, PostOptions } from '../src/index.ts';

/** Optional fields may also be `undefined`, so that a caller need not omit them. */
type WithUndefined<T> = T extends readonly (infer Item)[]
  ? WithUndefined<Item>[]
  : T extends object
    ? {
        [Name in keyof T]: string extends Name
          ? WithUndefined<T[Name]>
          : Record<never, never> extends Pick<T, Name>
            ? WithUndefined<T[Name]> | undefined
            : WithUndefined<T[Name]>;
      }
    : T;
type ValueOf<Schema> = Schema extends TSchema ? WithUndefined<Type.Static<Schema>> : never;

type Params<Path extends string> = Path extends `${string}{${string}}${infer Rest}` ? [string, ...Params<Rest>] : [];
type Input<Of> = Of extends { query: infer Query extends TSchema }
  ? Record<never, never> extends ValueOf<Query>
    ? [query?: ValueOf<Query>]
    : [query: ValueOf<Query>]
  : Of extends { body: infer Body }
    ? [body: ValueOf<Body>]
    : [];

/** The expected type of an operation's method, derived only from the contract. */
export type MethodOf<Of extends Operation> = Of extends { streams: { sse: string }; response: infer Event }
  ? (...args: [...Input<Of>, options?: ListenOptions]) => AsyncGenerator<ValueOf<Event>, void, undefined>
  : (
      ...args: [...Params<Of['path']>, ...Input<Of>, options?: Of['method'] extends 'POST' ? PostOptions : CallOptions]
    ) => Promise<
      Of extends { streams: object } ? string : Of extends { response: infer Response } ? ValueOf<Response> : void
    >;

export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The client's method of each operation. A missing operation does not compile. */
export const METHODS = {
  screenTransaction: ({ transactions }) => transactions.screen,
  getTransaction: ({ transactions }) => transactions.get,
  screenEvent: ({ events }) => events.screen,
  getEvent: ({ events }) => events.get,
  listScreenings: ({ screenings }) => screenings.list,
  groupScreenings: ({ screenings }) => screenings.group,
  exportScreenings: ({ screenings }) => screenings.export,
  search: ({ screenings }) => screenings.search,
  listUsers: ({ users }) => users.list,
  listTimeline: ({ users }) => users.listTimeline,
  getUsual: ({ users }) => users.getUsual,
  getLinks: ({ links }) => links.get,
  getEntity: ({ links }) => links.getEntity,
  getSeries: ({ users }) => users.getSeries,
  getDecisionsStats: ({ stats }) => stats.getDecisions,
  getScoresStats: ({ stats }) => stats.getScores,
  getSignalsStats: ({ stats }) => stats.getSignals,
  getRulesStats: ({ stats }) => stats.getRules,
  getCountriesStats: ({ stats }) => stats.getCountries,
  getCasesStats: ({ stats }) => stats.getCases,
  getServiceStats: ({ stats }) => stats.getService,
  listenFeed: ({ feed }) => feed.listen,
  getRiskProfile: ({ users }) => users.getRiskProfile,
  getDecision: ({ decisions }) => decisions.get,
  reviewDecision: ({ decisions }) => decisions.review,
  replayDecision: ({ decisions }) => decisions.replay,
  listCases: ({ cases }) => cases.list,
  getCase: ({ cases }) => cases.get,
  resolveCase: ({ cases }) => cases.resolve,
  resolveManyCases: ({ cases }) => cases.resolveMany,
  reopenCase: ({ cases }) => cases.reopen,
  assignCase: ({ cases }) => cases.assign,
  takeNextCase: ({ cases }) => cases.takeNext,
  setCasePriority: ({ cases }) => cases.setPriority,
  setCaseTags: ({ cases }) => cases.setTags,
  snoozeCase: ({ cases }) => cases.snooze,
  listViews: ({ views }) => views.list,
  createView: ({ views }) => views.create,
  changeView: ({ views }) => views.change,
  deleteView: ({ views }) => views.delete,
  getRuleSeries: ({ rules }) => rules.getSeries,
  listRuleVersions: ({ rules }) => rules.listVersions,
  listTrainings: ({ models }) => models.listTrainings,
  cancelBacktest: ({ backtests }) => backtests.cancel,
  getDelivery: ({ webhooks }) => webhooks.getDelivery,
  retryDeliveries: ({ webhooks }) => webhooks.retryDeliveries,
  exportList: ({ lists }) => lists.export,
  getSettings: ({ settings }) => settings.get,
  changeSettings: ({ settings }) => settings.change,
  setCasePresence: ({ cases }) => cases.setPresence,
  getCaseActivity: ({ cases }) => cases.getActivity,
  addCaseNote: ({ cases }) => cases.addNote,
  listCaseNotes: ({ cases }) => cases.listNotes,
  addLabel: ({ labels }) => labels.add,
  listLabels: ({ labels }) => labels.list,
  getLabel: ({ labels }) => labels.get,
  createImport: ({ imports }) => imports.create,
  createWebhook: ({ webhooks }) => webhooks.create,
  listWebhooks: ({ webhooks }) => webhooks.list,
  getWebhook: ({ webhooks }) => webhooks.get,
  changeWebhook: ({ webhooks }) => webhooks.change,
  rotateWebhookSecret: ({ webhooks }) => webhooks.rotateSecret,
  testWebhook: ({ webhooks }) => webhooks.test,
  listDeliveries: ({ webhooks }) => webhooks.listDeliveries,
  retryDelivery: ({ webhooks }) => webhooks.retryDelivery,
  deleteWebhook: ({ webhooks }) => webhooks.delete,
  createApiKey: ({ apiKeys }) => apiKeys.create,
  rollApiKey: ({ apiKeys }) => apiKeys.roll,
  listApiKeys: ({ apiKeys }) => apiKeys.list,
  deleteApiKey: ({ apiKeys }) => apiKeys.delete,
  listPeople: ({ people }) => people.list,
  addPerson: ({ people }) => people.addPerson,
  changePerson: ({ people }) => people.changePerson,
  removePerson: ({ people }) => people.removePerson,
  removePersonTotp: ({ people }) => people.removePersonTotp,
  createPersonLink: ({ people }) => people.createPersonLink,
  listLists: ({ lists }) => lists.list,
  createList: ({ lists }) => lists.create,
  checkLists: ({ lists }) => lists.check,
  getList: ({ lists }) => lists.get,
  changeList: ({ lists }) => lists.change,
  deleteList: ({ lists }) => lists.delete,
  listListEntries: ({ lists }) => lists.listEntries,
  addListEntries: ({ lists }) => lists.addEntries,
  removeListEntry: ({ lists }) => lists.removeEntry,
  createRule: ({ rules }) => rules.create,
  listRules: ({ rules }) => rules.list,
  listRuleVariables: ({ rules }) => rules.listVariables,
  checkRule: ({ rules }) => rules.check,
  getRule: ({ rules }) => rules.get,
  changeRule: ({ rules }) => rules.change,
  deleteRule: ({ rules }) => rules.delete,
  listRuleHits: ({ rules }) => rules.listHits,
  getPolicy: ({ policy }) => policy.get,
  changePolicy: ({ policy }) => policy.change,
  listPolicyVersions: ({ policy }) => policy.listVersions,
  getPolicyProposal: ({ policy }) => policy.getProposal,
  createBacktest: ({ backtests }) => backtests.create,
  listBacktests: ({ backtests }) => backtests.list,
  getBacktest: ({ backtests }) => backtests.get,
  listModels: ({ models }) => models.list,
  getModel: ({ models }) => models.get,
  trainModel: ({ models }) => models.train,
  getTraining: ({ models }) => models.getTraining,
  promoteModel: ({ models }) => models.promote,
  rollBackModel: ({ models }) => models.rollBack,
  listAudit: ({ audit }) => audit.list,
  checkAudit: ({ audit }) => audit.check,
  createExport: ({ privacy }) => privacy.createExport,
  createErasure: ({ privacy }) => privacy.createErasure,
  getErasure: ({ privacy }) => privacy.getErasure,
} satisfies { [Id in OperationId]: (client: PortcullisClient) => unknown };

/** The operations whose method differs from the contract. Must be `never`. */
export type Differing = {
  [Id in OperationId]: Equal<ReturnType<(typeof METHODS)[Id]>, MethodOf<(typeof operations)[Id]>> extends true
    ? never
    : Id;
}[OperationId];
