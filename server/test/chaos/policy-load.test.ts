import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ModelFile } from '@portcullis/contract';
import { modelVersionOf } from '@portcullis/engine';
import { afterAll, describe, test } from 'vitest';
import { BASE_MODEL } from '../../src/models/model-file.ts';
import { putModel } from '../../src/models/store.ts';
import { client, type Json, payment, startService } from '../fixtures/harness.ts';
import { startSecondProcess } from '../fixtures/second-process.ts';

const CONNECTIONS = 8;
const PACE_MS = 40;
/** Decisions checked after each change. */
const CHECKED = 25;
/** The counterparty of all payments. Many users at one shop are ordinary; many on one device would not be. */
const SHOP = 'shop_1';

interface Reply {
  readonly sentAt: number;
  /** 0 when no response came. */
  readonly status: number;
  readonly json: Json;
}

/** Screens continuously over persistent connections until it is stopped. */
const startLoad = (url: string, key: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const replies: Reply[] = [];
  let opened = 0;
  let stopped = false;
  const screen = (): Promise<void> =>
    new Promise((done) => {
      const sentAt = performance.now();
      const end = (status: number, json?: Json): void => {
        replies.push({ sentAt, status, json });
        done();
      };
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const sent = request(`${url}/v1/transactions/screen`, { method: 'POST', agent, headers }, (response) => {
        if (!sent.reusedSocket) opened++;
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => end(response.statusCode ?? 0, JSON.parse(text)));
        response.on('error', () => end(0));
      });
      sent.on('error', () => end(0));
      sent.end(JSON.stringify(payment({ amount: 20, counterparty_id: SHOP })));
    });
  const loops = Array.from({ length: CONNECTIONS }, async () => {
    while (!stopped) {
      await screen();
      await pause(PACE_MS);
    }
  });
  return {
    replies,
    opened: () => opened,
    stop: async (): Promise<void> => {
      stopped = true;
      await Promise.all(loops);
      agent.destroy();
    },
  };
};

/** The base model under another version. */
const { model_version: shipped, ...content } = JSON.parse(readFileSync(BASE_MODEL, 'utf8')) as ModelFile;
const other = { ...content, trained: { ...content.trained, source: 'a test' } };
const otherFile: ModelFile = { ...other, model_version: modelVersionOf(other) };

const service = await startService({ logLevel: 'warn', env: { TRAIN_DAILY: 'off' } });
const secondProcess = await startSecondProcess(service.dataDir);
afterAll(secondProcess.stop);

/** Milliseconds after the response until a change must be in force: at once in the process that made it. */
describe.concurrent.each([
  ['the process that screens', service.url, 0],
  ['another process', secondProcess.url, 1000],
])('under load, with the policy changed by %s', (_, changer, within) => {
  test('no request is dropped or refused, and each change is in force in time', async ({ expect }) => {
    const account = `account_${within}`;
    const key = await service.key({ account, environment: 'production' });
    const api = client(service, key);
    const row = {
      account,
      model_version: otherFile.model_version,
      status: 'challenger',
      reason: null,
      file: JSON.stringify(otherFile),
      told: JSON.stringify({ gates: [], metrics: {}, curves: null, window: null }),
      learned_until: 0,
      trained_at: 0,
      trained_by: null,
      promoted_at: null,
      previous: null,
    } as const;
    await service.app.backend.write([putModel(row)]);

    const change = async (method: string, path: string, body?: unknown): Promise<Json> => {
      const response = await fetch(`${changer}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      expect([path, response.ok]).toEqual([path, true]);
      return text === '' ? undefined : JSON.parse(text);
    };
    const load = startLoad(service.url, key);
    await expect.poll(() => load.replies[0]?.json.decision, { timeout: 90_000 }).toBe('allow');

    /** Items screened once the change must be in force, with the model that decided them. */
    const after = async (make: () => Promise<unknown>): Promise<Json[]> => {
      await make();
      const from = performance.now() + within;
      const screened = () => load.replies.filter(({ sentAt }) => sentAt >= from);
      // A fixed number, however busy the machine is.
      await expect.poll(() => screened().length, { timeout: 90_000 }).toBeGreaterThanOrEqual(CHECKED);
      const items = screened().slice(0, CHECKED);
      const { ruleset_version } = (await api.get('/v1/policy')).json;
      const decided = [];
      for (const { json } of items) {
        const { json: decision } = await api.get(`/v1/decisions/${json.decision_id}`);
        expect(decision.ruleset_version).toBe(ruleset_version);
        decided.push({ ...json, model_version: decision.model_version });
      }
      return decided;
    };
    const all = <T>(items: readonly Json[], of: (item: Json) => T): Set<T> => new Set(items.map(of));

    const rule = await change('POST', '/rules', { name: 'all', expression: 'amount > 1.0', action: { points: 1 } });
    await change('PUT', `/rules/${rule.rule_id}`, { state: 'shadow' });
    const held = await after(async () => {
      await change('PUT', '/policy', { thresholds: { transaction: { review: 1, block: 100 } } });
      await change('PUT', `/rules/${rule.rule_id}`, { state: 'live' });
      await change('POST', `/models/${otherFile.model_version}/promote`, {});
    });
    expect(all(held, ({ decision }) => decision)).toEqual(new Set(['review']));
    expect(all(held, ({ signals }) => signals.includes('rule.all'))).toEqual(new Set([true]));
    expect(all(held, ({ model_version }) => model_version)).toEqual(new Set([otherFile.model_version]));

    const entry = { kind: 'counterparty', value: SHOP };
    const listed = await after(async () => {
      await change('POST', '/lists/block/entries', { entries: [entry] });
      await change('POST', '/models/rollback');
    });
    expect(all(listed, ({ decision }) => decision)).toEqual(new Set(['block']));
    expect(all(listed, ({ model_version }) => model_version)).toEqual(new Set([shipped]));
    const query = new URLSearchParams(entry);
    const unlisted = await after(() => change('DELETE', `/lists/block/entries?${query}`));
    expect(all(unlisted, ({ decision }) => decision)).toEqual(new Set(['review']));

    await change('POST', '/lists', { name: 'own', treatment: 'block' });
    const owned = await after(() => change('POST', '/lists/own/entries', { entries: [entry] }));
    expect(all(owned, ({ decision }) => decision)).toEqual(new Set(['block']));
    const disowned = await after(() => change('DELETE', '/lists/own'));
    expect(all(disowned, ({ decision }) => decision)).toEqual(new Set(['review']));

    await load.stop();
    expect(all(load.replies, ({ status }) => status)).toEqual(new Set([200]));
    expect(load.opened()).toBe(CONNECTIONS);
    expect(service.logs).toEqual([]);
  }, 120_000);
});
