import { type OperationId, PERMISSIONS, type Permission } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { NO_IDS, OPERATIONS, request } from '../fixtures/every-operation.ts';
import { client, DAY_MS, HOUR_MS, iso, makeClock, startService } from '../fixtures/harness.ts';

const clock = makeClock();
const service = await startService({ clock: clock.now, env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
const admin = client(service, await service.key());
const make = async (more: Record<string, unknown>): Promise<string> =>
  (await admin.post('/v1/api-keys', more)).json.secret;

// Written out here, not derived from the code.
const NEEDS: Record<OperationId, Permission> = {
  screenTransaction: 'screen',
  getTransaction: 'read',
  screenEvent: 'screen',
  getEvent: 'read',
  listScreenings: 'read',
  groupScreenings: 'read',
  getDecisionsStats: 'read',
  getScoresStats: 'read',
  getSignalsStats: 'read',
  getRulesStats: 'read',
  getCountriesStats: 'read',
  getCasesStats: 'read',
  getServiceStats: 'read',
  listenFeed: 'read',
  exportScreenings: 'read_personal',
  search: 'read',
  listUsers: 'read',
  listTimeline: 'read_personal',
  getUsual: 'read_personal',
  getLinks: 'read_personal',
  getEntity: 'read_personal',
  getSeries: 'read',
  getRiskProfile: 'read',
  getDecision: 'read',
  reviewDecision: 'review',
  replayDecision: 'read',
  listCases: 'read',
  getCase: 'read',
  resolveCase: 'review',
  resolveManyCases: 'review',
  reopenCase: 'review',
  assignCase: 'review',
  takeNextCase: 'review',
  setCasePriority: 'review',
  setCaseTags: 'review',
  snoozeCase: 'review',
  setCasePresence: 'read',
  getSettings: 'read',
  changeSettings: 'administer',
  exportList: 'read_personal',
  getDelivery: 'administer',
  retryDeliveries: 'administer',
  getRuleSeries: 'read',
  listRuleVersions: 'read',
  listTrainings: 'read',
  cancelBacktest: 'review',
  listViews: 'read',
  createView: 'read',
  changeView: 'read',
  deleteView: 'read',
  getCaseActivity: 'read',
  addCaseNote: 'review',
  listCaseNotes: 'read',
  addLabel: 'review',
  listLabels: 'read',
  getLabel: 'read',
  createWebhook: 'administer',
  listWebhooks: 'read',
  getWebhook: 'read',
  changeWebhook: 'administer',
  rotateWebhookSecret: 'administer',
  testWebhook: 'administer',
  listDeliveries: 'read',
  retryDelivery: 'administer',
  deleteWebhook: 'administer',
  createRule: 'tune',
  listRules: 'read',
  listRuleVariables: 'read',
  checkRule: 'read',
  getRule: 'read',
  changeRule: 'tune',
  deleteRule: 'tune',
  listRuleHits: 'read',
  createApiKey: 'administer',
  listApiKeys: 'administer',
  rollApiKey: 'administer',
  deleteApiKey: 'administer',
  listPeople: 'administer',
  addPerson: 'administer',
  changePerson: 'administer',
  removePerson: 'administer',
  removePersonTotp: 'administer',
  createPersonLink: 'administer',
  listLists: 'read',
  createList: 'tune',
  checkLists: 'read',
  getList: 'read',
  changeList: 'tune',
  deleteList: 'tune',
  listListEntries: 'read',
  addListEntries: 'review',
  removeListEntry: 'tune',
  getPolicy: 'read',
  changePolicy: 'tune',
  listPolicyVersions: 'read',
  getPolicyProposal: 'read',
  listModels: 'read',
  getModel: 'read',
  trainModel: 'tune',
  getTraining: 'read',
  promoteModel: 'tune',
  rollBackModel: 'tune',
  createImport: 'tune',
  createBacktest: 'review',
  listBacktests: 'read',
  getBacktest: 'read',
  listAudit: 'administer',
  checkAudit: 'administer',
  createExport: 'administer',
  createErasure: 'administer',
  getErasure: 'administer',
};

const restricted = new Map(
  await Promise.all(
    PERMISSIONS.map(async (one): Promise<[Permission, string]> => [one, await make({ permissions: [one] })]),
  ),
);
const expired = await make({ role: 'admin', expires_at: iso(clock.now() + HOUR_MS) });
const away = await make({ role: 'admin', allowed_networks: ['203.0.113.0/24'] });
const rolledKey = (await admin.post('/v1/api-keys', { role: 'admin' })).json;
await admin.post(`/v1/api-keys/${rolledKey.key_id}/roll`, { overlap_seconds: 60 });
const revokedKey = (await admin.post('/v1/api-keys', { role: 'admin' })).json;
await admin.delete(`/v1/api-keys/${revokedKey.key_id}`);
clock.advance(HOUR_MS);

describe.each(OPERATIONS.map(([id]) => id))('%s', (id) => {
  test('needs its permission of a restricted key, and no other', async () => {
    for (const [permission, key] of restricted) {
      const { status, json } = await request(service, id, NO_IDS, { key });
      if (permission !== NEEDS[id])
        expect([permission, status, json.error.code]).toEqual([permission, 403, 'insufficient_scope']);
      // A key cannot give permissions that it does not have, an export needs a second one, and a sandbox key has no
      // trainings of its own.
      else if (status === 403)
        expect(['createApiKey', 'createExport', 'addPerson', 'trainModel', 'rollBackModel']).toContain(id);
      else expect([200, 201, 202, 404, 409]).toContain(status);
    }
  });

  test.each([
    ['a key after its end', expired, 401, 'expired_api_key'],
    ['a rolled key after the overlap', rolledKey.secret as string, 401, 'expired_api_key'],
    ['a revoked key', revokedKey.secret as string, 401, 'invalid_api_key'],
    ['a key outside its networks', away, 403, 'address_not_allowed'],
  ])('refuses %s', async (_, key, status, code) => {
    // A minute has a limited number of unknown keys.
    clock.advance(1000);
    const reply = await request(service, id, NO_IDS, { key });
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
  });
});

describe('/metrics', () => {
  test.each([
    ['expired', expired, 401],
    ['outside its networks', away, 403],
    ['restricted to reading', restricted.get('read') as string, 403],
    ['restricted to administering', restricted.get('administer') as string, 200],
  ])('with a key that is %s', async (_, key, status) => {
    expect((await service.call('GET', '/metrics', { key })).status).toBe(status);
  });
});

describe('behind a trusted proxy, the address of a caller', () => {
  test.each([
    ['is the last one that is not a proxy', '203.0.113.9', 200],
    ['is not one that the caller made up', '203.0.113.9, 198.51.100.1', 403],
    ['may pass several proxies', '203.0.113.9, 127.0.0.1', 200],
    ['may be IPv4 written as IPv6', '::ffff:203.0.113.9', 200],
    ['is that of the proxy where the header is damaged', '203.0.113.9, unknown', 403],
    ['is outside the networks', '203.0.112.255', 403],
  ])('%s', async (_, forwardedFor, status) => {
    expect((await client(service, away).get('/v1/cases', { 'x-forwarded-for': forwardedFor })).status).toBe(status);
  });
});

test('an expiry far ahead works, and a clock that goes back makes an expired key work again', async () => {
  const key = await make({ role: 'reader', expires_at: '9999-12-31T23:59:59Z' });
  clock.advance(3650 * DAY_MS);
  expect((await client(service, key).get('/v1/cases')).status).toBe(200);
  clock.advance(-3650 * DAY_MS - 2 * HOUR_MS);
  expect((await client(service, expired).get('/v1/cases')).status).toBe(200);
});
