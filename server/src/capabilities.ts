import { ENVIRONMENTS } from '@portcullis/contract/values';
import { makeAccess, ownerOf } from './access/access.ts';
import { makeKeyUses } from './access/key-uses.ts';
import { makeKeys } from './access/keys.ts';
import { makeAccountSettings } from './account-settings/account-settings.ts';
import type { AppOptions } from './app-options.ts';
import { makeAnchors } from './audit/anchors.ts';
import { type Audit, makeAudit } from './audit/audit.ts';
import { makeAuditStream } from './audit/stream.ts';
import { makeAuditWatch } from './audit/watch.ts';
import type { Backend } from './backend/backend.ts';
import { makeRestoreSubject } from './backend/journal.ts';
import { newestStoredAt } from './backend/journal-pages.ts';
import { makeServiceIdentities } from './backend/service-identities.ts';
import { makeBacktests } from './backtests/backtests.ts';
import { makeCases, sweepAttackLinks } from './cases/cases.ts';
import { makeExpiry } from './cases/expiry.ts';
import { sweepCases, sweepChanges } from './cases/sweep.ts';
import { makeChanges, type Note } from './changes/changes.ts';
import { type Config, isLoopback } from './config.ts';
import { makeDecisions } from './decisions/decisions.ts';
import { makeRecompute } from './decisions/recompute.ts';
import { makeFeed } from './feed/feed.ts';
import { sweepIdempotency } from './http/idempotency.ts';
import { makeHasImports, makeImports } from './imports/imports.ts';
import type { Infrastructure } from './infrastructure.ts';
import { reloadKeys } from './installation.ts';
import { makeLabels } from './labels/labels.ts';
import { sweepLabels } from './labels/sweep.ts';
import { makePeople, withSessions } from './people/people.ts';
import { makePolicySources } from './policy-sources.ts';
import { makeErasures } from './privacy/erasures.ts';
import { makeExport } from './privacy/export.ts';
import { makeRetention, type Sweep } from './retention/sweep.ts';
import { makeReviews } from './reviews/reviews.ts';
import { sweepReviews } from './reviews/sweep.ts';
import { makeInputOf } from './rule-inputs.ts';
import { expressionErrors, sweepHits } from './rules/rules.ts';
import { makeScreening, sweepScreenings } from './screening/screen.ts';
import { makePersonSearch } from './search/person.ts';
import { makeProjector } from './search/projector-thread-host.ts';
import { makeSearch } from './search/search.ts';
import { makeStats } from './stats/stats.ts';
import { makeUsers } from './users/users.ts';
import { makeViews } from './views/views.ts';
import { makeDeliveryRoutes } from './webhooks/delivery-routes.ts';
import { makeDeliveryWorker, NO_DELIVERY_WORKER } from './webhooks/delivery-thread-host.ts';
import { sweepDeliveries } from './webhooks/sweep.ts';
import { makeWebhooks } from './webhooks/webhooks.ts';

const makeWebhookCapability = async (
  infrastructure: Infrastructure,
  audit: Audit,
  note: Note,
  exchangeMs: number | undefined,
) => {
  const { backend, seal, newId, clock, config, connect, secrets, log, metrics } = infrastructure;
  const rules = { allowLoopback: isLoopback(config.host), allowedNetworks: config.webhookAllowedNetworks };
  const deliveryWorker = infrastructure.runsJobs
    ? makeDeliveryWorker({
        connect,
        dataKeys: secrets.dataKeys,
        rules,
        ca: config.webhookCa,
        limitMs: exchangeMs,
        log,
        metrics,
      })
    : NO_DELIVERY_WORKER;
  const webhooks = await makeWebhooks({ backend, audit, seal, worker: deliveryWorker, note, newId, clock, rules });
  const deliveryRoutes = makeDeliveryRoutes({ backend, audit, webhooks, seal, clock });
  return { deliveryWorker, webhooks, deliveryRoutes };
};

const makeAuditCapability = async (infrastructure: Infrastructure) => {
  const { backend, anchorPlace: place, seal, clock, log, config } = infrastructure;
  const anchors = makeAnchors({ backend, place, seal, clock });
  // Before the first entry is written: its number must be above every number that was anchored.
  await anchors
    .read()
    .catch((error: unknown) => log.warn({ err: error }, 'audit anchor could not be read at the start'));
  const audit = makeAudit({ ...infrastructure, anchors });
  const named = { ...infrastructure, audit, ownerOf: (tenant: number) => ownerOf(backend, tenant) };
  const auditWatch = makeAuditWatch({ ...named, anchors });
  const auditStream = makeAuditStream({ ...named, destination: config.auditStream });
  return { audit, auditWatch, auditStream };
};

/** Sweeps of records that are kept without a limit unless a setting says otherwise. */
const sweepsOfSettings = (
  backend: Backend,
  { cases, labels }: Config['keptDays'],
): Readonly<Record<string, Sweep>> => ({
  ...(cases === undefined
    ? {}
    : {
        cases: (now, limit) => sweepCases(backend, cases, now, limit),
        reviews: (now, limit) => sweepReviews(backend, cases, now, limit),
      }),
  ...(labels === undefined ? {} : { labels: (now, limit) => sweepLabels(backend, labels, now, limit) }),
});

/** Every capability of the service, in the order in which they need each other. */
export const makeCapabilities = async (infrastructure: Infrastructure, options: AppOptions) => {
  const { backend, counters, hasRoom, clock, newId, config } = infrastructure;
  const { audit, auditWatch, auditStream } = await makeAuditCapability(infrastructure);
  // Before anything is read into memory: a change made after that read is then noticed.
  const changes = await makeChanges(infrastructure);
  await infrastructure.secrets.reload(backend);
  const { note } = changes;
  const keys = makeKeys({ ...infrastructure, audit, note });
  const keyUses = makeKeyUses(infrastructure);
  const access = makeAccess({
    ...infrastructure,
    onUse: keyUses.note,
    hosts: config.hosts,
    rateLimitPerMinute: config.rateLimitPerMinute,
    maxFailedKeysPerMinute: config.maxFailedKeysPerMinute,
  });
  const people = makePeople({ ...infrastructure, audit, note, tenantOf: keys.tenantOf });
  const accountSettings = makeAccountSettings({ ...infrastructure, audit });
  const views = makeViews({ ...infrastructure, audit, namesOf: people.namesOf });
  const { deliveryWorker, webhooks, deliveryRoutes } = await makeWebhookCapability(
    infrastructure,
    audit,
    note,
    options.exchangeMs,
  );
  const policySources = await makePolicySources({
    ...infrastructure,
    audit,
    note,
    tenantOf: keys.tenantOf,
    namesOf: people.namesOf,
    // Screenings are made after the policies, which they need.
    inputOf: (tenant, subjectId) => inputOf(tenant, subjectId),
    trainDaily: config.trainDaily,
    maxEntries: options.maxListEntries,
  });
  const { rules, lists, models, policies } = policySources;
  const backtests = makeBacktests({
    ...infrastructure,
    policyOf: policies.of,
    budgetOf: policies.budgetOf,
    modelOf: (tenant) => JSON.stringify(models.fileOf(tenant)),
    hasRule: rules.has,
    expressionErrors,
    pointErrors: policies.pointErrors,
    catchUp: changes.catchUp,
  });
  const screening = makeScreening({ ...infrastructure, policies, lists, rules, webhooks });
  const { find: findScreening } = screening;
  const inputOf = makeInputOf({ ...infrastructure, findScreening, lists, policies });
  const reviews = makeReviews(backend);
  const labels = makeLabels({ backend, counters, findScreening, hasRoom, newId, clock });
  const cases = makeCases({
    ...infrastructure,
    ...{ audit, findScreening, reviews, labels, webhooks },
    namesOf: people.namesOf,
    settingsOf: accountSettings.of,
    // Both are made after the cases, which they need.
    decisionOf: (call, row) => decisions.shown(call, row),
    usualOf: (call, userId, until) => search.usualOf(call, userId, until),
  });
  const { identityKey } = infrastructure.secrets;
  const imports = makeImports({ ...infrastructure, audit, identityKey, labels, lists, policies });
  const expiry = makeExpiry({ ...infrastructure, webhooks });
  const { close: stopRecomputing, ...recomputing } = makeRecompute({
    modelFileOf: models.fileOfVersion,
    log: infrastructure.log,
  });
  const decisions = makeDecisions({
    ...{ findScreening, reviews, labels, cases, webhooks, policies, rules, clock },
    ...recomputing,
  });
  const users = makeUsers({ counters, cases, policies, clock });
  const search = makeSearch({ ...infrastructure, audit, lists, findScreening, hasImports: makeHasImports(backend) });
  const stats = makeStats({ ...infrastructure, sums: search.sums, cases, webhooks });
  const feed = makeFeed({
    ...infrastructure,
    events: search.feed,
    ...(options.feedTimes && { times: options.feedTimes }),
  });
  const projector = makeProjector({ ...infrastructure, identityKey });
  const identities = makeServiceIdentities(identityKey);
  const personItems = makePersonSearch({ ...infrastructure, identities });
  const exportPerson = makeExport({
    ...infrastructure,
    ...{ personItems, decisions, cases, reviews, labels, lists, users, audit },
  });
  const erasures = makeErasures({
    ...infrastructure,
    ...{ audit, lists, changes, projector, identities, personItems, models, note },
    accountOf: async (tenant) => (await ownerOf(backend, tenant))?.account ?? '',
    tenantsOf: (account) => Promise.all(ENVIRONMENTS.map((environment) => keys.tenantOf(account, environment))),
    restore: makeRestoreSubject(identities),
  });
  const { keptDays: kept } = config;
  const sweeps = {
    screenings: (now: number, limit: number) => sweepScreenings(backend, now, limit),
    idempotency: (now: number, limit: number) => sweepIdempotency(backend, now, limit),
    deliveries: (now: number, limit: number) => sweepDeliveries(backend, kept.deliveries, now, limit),
    ...sweepsOfSettings(backend, kept),
    rule_hits: (now: number, limit: number) => sweepHits(backend, now, limit),
    case_changes: (now: number, limit: number) => sweepChanges(backend, now, limit),
    attack_links: (now: number, limit: number) => sweepAttackLinks(backend, now, limit),
    list_entries: lists.sweep,
    changes: changes.sweep,
    search_items: projector.sweep,
    ...people.sweeps,
  };
  const newestRecordAt = (): Promise<number> => newestStoredAt(backend);
  const retention = makeRetention({ ...infrastructure, sweeps, newestRecordAt });
  return {
    keys,
    keyUses,
    access,
    people,
    accountSettings,
    views,
    authenticator: withSessions(access, people.sessions),
    changes,
    refresh: {
      ...policySources.refresh,
      webhooks: webhooks.refresh,
      secrets: () => reloadKeys(infrastructure).then(deliveryWorker.loadKeys),
      keys: async () => access.forget(),
      people: async () => people.sessions.forget(),
    },
    deliveryWorker,
    deliveryRoutes,
    webhooks,
    audit,
    auditWatch,
    auditStream,
    rules,
    lists,
    models,
    policies,
    backtests,
    screening,
    labels,
    imports,
    cases,
    expiry,
    decisions,
    stopRecomputing,
    users,
    search,
    stats,
    feed,
    projector,
    erasures,
    exportPerson,
    retention,
  };
};
export type Capabilities = Awaited<ReturnType<typeof makeCapabilities>>;
