import { type OperationId, ROLES, type Role } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { NO_IDS, OPERATIONS, request } from '../fixtures/every-operation.ts';
import { client, payment, REVIEW_IP, startService } from '../fixtures/harness.ts';

const service = await startService();
const keys = Object.fromEntries(
  await Promise.all(ROLES.map(async (role) => [role, await service.key({ role })])),
) as Record<Role, string>;

const ALL: readonly Role[] = ['admin', 'manager', 'service', 'analyst', 'reader'];
// Written out here, not derived from the code: `admin` everything, `manager` what an `analyst` may and tune, `service`
// screen and read, `analyst` read, resolve and review.
const MAY: Record<OperationId, readonly Role[]> = {
  screenTransaction: ['admin', 'service'],
  getTransaction: ALL,
  screenEvent: ['admin', 'service'],
  getEvent: ALL,
  listScreenings: ALL,
  groupScreenings: ALL,
  exportScreenings: ['admin', 'manager', 'analyst'],
  search: ALL,
  listUsers: ALL,
  listTimeline: ['admin', 'manager', 'analyst'],
  getUsual: ['admin', 'manager', 'analyst'],
  getLinks: ['admin', 'manager', 'analyst'],
  getEntity: ['admin', 'manager', 'analyst'],
  getSeries: ALL,
  getDecisionsStats: ALL,
  getScoresStats: ALL,
  getSignalsStats: ALL,
  getRulesStats: ALL,
  getCountriesStats: ALL,
  getCasesStats: ALL,
  getServiceStats: ALL,
  listenFeed: ALL,
  getRiskProfile: ALL,
  getDecision: ALL,
  reviewDecision: ['admin', 'manager', 'analyst'],
  replayDecision: ALL,
  listCases: ALL,
  getCase: ALL,
  resolveCase: ['admin', 'manager', 'analyst'],
  resolveManyCases: ['admin', 'manager', 'analyst'],
  reopenCase: ['admin', 'manager', 'analyst'],
  assignCase: ['admin', 'manager', 'analyst'],
  takeNextCase: ['admin', 'manager', 'analyst'],
  setCasePriority: ['admin', 'manager', 'analyst'],
  setCaseTags: ['admin', 'manager', 'analyst'],
  snoozeCase: ['admin', 'manager', 'analyst'],
  setCasePresence: ALL,
  getSettings: ALL,
  changeSettings: ['admin'],
  exportList: ['admin', 'manager', 'analyst'],
  getDelivery: ['admin'],
  retryDeliveries: ['admin'],
  getRuleSeries: ALL,
  listRuleVersions: ALL,
  listTrainings: ALL,
  cancelBacktest: ['admin', 'manager', 'analyst'],
  listViews: ALL,
  createView: ALL,
  changeView: ALL,
  deleteView: ALL,
  getCaseActivity: ALL,
  addCaseNote: ['admin', 'manager', 'analyst'],
  listCaseNotes: ALL,
  addLabel: ['admin', 'manager', 'analyst'],
  listLabels: ALL,
  getLabel: ALL,
  createWebhook: ['admin'],
  listWebhooks: ALL,
  getWebhook: ALL,
  changeWebhook: ['admin'],
  rotateWebhookSecret: ['admin'],
  testWebhook: ['admin'],
  listDeliveries: ALL,
  retryDelivery: ['admin'],
  deleteWebhook: ['admin'],
  createRule: ['admin', 'manager'],
  listRules: ALL,
  listRuleVariables: ALL,
  checkRule: ALL,
  getRule: ALL,
  changeRule: ['admin', 'manager'],
  deleteRule: ['admin', 'manager'],
  listRuleHits: ALL,
  createApiKey: ['admin'],
  listApiKeys: ['admin'],
  rollApiKey: ['admin'],
  deleteApiKey: ['admin'],
  listPeople: ['admin'],
  addPerson: ['admin'],
  changePerson: ['admin'],
  removePerson: ['admin'],
  removePersonTotp: ['admin'],
  createPersonLink: ['admin'],
  listLists: ALL,
  createList: ['admin', 'manager'],
  checkLists: ALL,
  getList: ALL,
  changeList: ['admin', 'manager'],
  deleteList: ['admin', 'manager'],
  listListEntries: ALL,
  // Analysts only where the list is open to them.
  addListEntries: ['admin', 'manager', 'analyst'],
  removeListEntry: ['admin', 'manager'],
  getPolicy: ALL,
  changePolicy: ['admin', 'manager'],
  listPolicyVersions: ALL,
  getPolicyProposal: ALL,
  listModels: ALL,
  getModel: ALL,
  trainModel: ['admin', 'manager'],
  getTraining: ALL,
  promoteModel: ['admin', 'manager'],
  rollBackModel: ['admin', 'manager'],
  createImport: ['admin', 'manager'],
  createBacktest: ['admin', 'manager', 'analyst'],
  listBacktests: ALL,
  getBacktest: ALL,
  listAudit: ['admin'],
  checkAudit: ['admin'],
  createExport: ['admin'],
  createErasure: ['admin'],
  getErasure: ['admin'],
};

/** These operations refuse sandbox keys. */
const OF_PRODUCTION: readonly OperationId[] = ['trainModel', 'rollBackModel'];

test('the roles are those of the contract', () => {
  expect([...ROLES].sort()).toEqual([...ALL].sort());
});

describe.each(OPERATIONS.map(([id]) => id))('%s', (id) => {
  test.each(ALL)('as %s', async (role) => {
    const { status, json } = await request(service, id, NO_IDS, { key: keys[role] });
    if (!MAY[id].includes(role)) expect([status, json.error.code]).toEqual([403, 'insufficient_scope']);
    else if (OF_PRODUCTION.includes(id)) expect([status, json.error.code]).toEqual([403, 'wrong_environment']);
    else expect([200, 201, 202, 404, 409]).toContain(status);
  });
});

describe('403', () => {
  test('comes before the body is read, and nothing is stored', async () => {
    const admin = client(service, keys.admin);
    const { json } = await admin.pay(payment({ ip_address: REVIEW_IP }));
    const reader = client(service, keys.reader);
    const body = payment();
    const replies = [
      await reader.pay(body),
      await reader.pay({}),
      await reader.put(`/v1/cases/${json.case_id}`, { status: 'approved' }),
      await reader.post(`/v1/decisions/${json.decision_id}/review`, { decision: 'allow' }),
      await reader.post('/v1/api-keys', { role: 'admin' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect((await admin.get(`/v1/cases/${json.case_id}`)).json.status).toBe('open');
    expect((await admin.get(`/v1/users/${body.user_id}/risk-profile`)).status).toBe(404);
  });

  test('names the missing permission and the role of the key', async () => {
    const { json } = await client(service, keys.analyst).pay(payment());
    expect(json.error.message).toBe(
      'This operation needs the permission screen. A key of role analyst does not have it.',
    );
  });

  test('a stored response is not replayed to a key without the permission', async () => {
    const headers = { 'Idempotency-Key': 'made by an admin' };
    const body = { role: 'admin' };
    expect((await service.call('POST', '/v1/api-keys', { key: keys.admin, body, headers })).status).toBe(201);
    const reply = await service.call('POST', '/v1/api-keys', { key: keys.service, body, headers });
    expect([reply.status, reply.text.includes('sk_test_')]).toEqual([403, false]);
  });
});
