import type { TArray, TObject } from 'typebox';
import { describe, expect, test } from 'vitest';
import { ROLES, type Role } from './api-key.ts';
import { ERROR_STATUSES } from './errors.ts';
import { ID_PREFIXES, ID_SUFFIX_PATTERN, id } from './ids.ts';
import { type Operation, operations, ROLE_PERMISSIONS, TAGS } from './operations.ts';
import { API_VERSIONS, NEWEST_API_VERSION } from './versions.ts';

const all = Object.entries(operations) as [string, Operation][];

describe('the interface', () => {
  test.each([
    ['POST', '/v1/transactions/screen', 200],
    ['GET', '/v1/transactions/{}', 200],
    ['GET', '/v1/users/{}/risk-profile', 200],
    ['POST', '/v1/events', 200],
    ['GET', '/v1/events/{}', 200],
    ['GET', '/v1/decisions/{}', 200],
    ['POST', '/v1/decisions/{}/review', 200],
    ['GET', '/v1/cases', 200],
    ['GET', '/v1/cases/{}', 200],
    ['PUT', '/v1/cases/{}', 200],
    ['POST', '/v1/webhooks', 201],
    ['GET', '/v1/webhooks', 200],
    ['DELETE', '/v1/webhooks/{}', 204],
    ['POST', '/v1/api-keys', 201],
    ['GET', '/v1/api-keys', 200],
    ['DELETE', '/v1/api-keys/{}', 204],
  ])('offers %s %s, answered with %i', (method, path, status) => {
    const found = all.filter(([, of]) => of.method === method && of.path.replaceAll(/\{\w+\}/g, '{}') === path);
    expect(found.map(([, of]) => of.status)).toEqual([status]);
  });

  test('has no two operations under one method and path, and every one under /v1', () => {
    const routes = all.map(([, of]) => `${of.method} ${of.path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(new Set(routes).size).toBe(routes.length);
    for (const [, of] of all) expect(of.path).toMatch(/^\/v1\/[a-z{]/);
  });

  test.each(all)('%s says what its path parameters are, and has a body only where HTTP gives it a meaning', (_, of) => {
    const inPath = [...of.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(of.params ?? {})).toEqual(inPath);
    if (of.method === 'GET' || of.method === 'DELETE') expect(of.body).toBeUndefined();
    if (of.method === 'PUT') expect(of.body).toBeDefined();
    expect(of.response === undefined).toBe(of.status === 204);
    expect(Object.keys(TAGS)).toContain(of.tag);
  });

  test.each(all.filter(([, of]) => of.params !== undefined))(
    '%s may answer not_found, for it names one thing',
    (_, of) => {
      expect(of.errors).toContain('not_found');
    },
  );

  const isPaged = ([, of]: [string, Operation]) =>
    'has_more' in ((of.response as TObject | undefined)?.properties ?? {});
  test.each(all.filter(isPaged))('%s says how to go on to its next page', (_, of) => {
    const { items = '', before } = of.pages ?? {};
    const item = ((of.response as TObject).properties[items] as TArray<TObject> | undefined)?.items;
    const query = of.query?.properties as Record<string, { type: string; pattern?: string }>;
    if (before === undefined) expect(query).toHaveProperty('offset');
    else {
      // The same kind of thing: an id of the same pattern, or a number.
      const { type, pattern } = query.before ?? {};
      expect(item?.properties[before]).toMatchObject({ type, ...(pattern === undefined ? {} : { pattern }) });
    }
  });
  test('only lists that tell whether there is more have pages', () => {
    expect(all.filter(([, { pages }]) => pages !== undefined)).toEqual(all.filter(isPaged));
  });

  test('lets a case that is not open refuse its resolution by name', () => {
    expect(operations.resolveCase.errors).toEqual(expect.arrayContaining(['case_not_open', 'case_expired']));
  });
});

describe('a key reaches what its role is for and nothing else', () => {
  // What is named so takes a body to look at and changes nothing.
  const changing = all.filter(([name, of]) => of.method !== 'GET' && !name.startsWith('check'));
  const MAY_CHANGE: Readonly<Record<Role, readonly string[]>> = {
    admin: changing.map(([name]) => name),
    service: ['screenTransaction', 'screenEvent'],
    analyst: ['reviewDecision', 'resolveCase', 'addLabel', 'createBacktest'],
    reader: [],
  };

  test.each(ROLES)('%s changes what it may and reads every result', (role) => {
    const reached = (of: Operation) => ROLE_PERMISSIONS[role].includes(of.permission);
    expect(changing.filter(([, of]) => reached(of)).map(([name]) => name)).toEqual(MAY_CHANGE[role]);
    const { getTransaction, getEvent, getDecision, getCase, getRiskProfile, listCases } = operations;
    expect([getTransaction, getEvent, getDecision, getCase, getRiskProfile, listCases].every(reached)).toBe(true);
  });

  test.each(['service', 'analyst', 'reader'] as const)(
    '%s sees and makes no keys and registers no webhooks',
    (role) => {
      for (const { permission } of [
        operations.createApiKey,
        operations.listApiKeys,
        operations.deleteApiKey,
        operations.createWebhook,
        operations.deleteWebhook,
      ]) {
        expect(ROLE_PERMISSIONS[role]).not.toContain(permission);
      }
    },
  );
});

describe('what callers rely on does not change', () => {
  test('every error code of the contract has its status', () => {
    expect(ERROR_STATUSES).toMatchObject({
      invalid_request: 400,
      invalid_json: 400,
      unsupported_api_version: 400,
      missing_api_key: 401,
      invalid_api_key: 401,
      insufficient_scope: 403,
      wrong_environment: 403,
      not_found: 404,
      method_not_allowed: 405,
      case_not_open: 409,
      case_expired: 409,
      idempotency_in_progress: 409,
      payload_too_large: 413,
      unsupported_media_type: 415,
      idempotency_key_reused: 422,
      rate_limited: 429,
      internal_error: 500,
      unavailable: 503,
    });
  });

  test('the first release is known, and the newest is the last', () => {
    expect(API_VERSIONS[0]).toBe('2026-11-01');
    expect(API_VERSIONS.at(-1)).toBe(NEWEST_API_VERSION);
    expect([...API_VERSIONS].sort()).toEqual(API_VERSIONS);
  });

  test('identifiers have a prefix of their own and a suffix of 26 characters that sort as time does', () => {
    expect(ID_PREFIXES).toMatchObject({
      transaction: 'txn',
      event: 'evt',
      decision: 'dec',
      case: 'case',
      webhook: 'wh',
      message: 'msg',
      key: 'key',
      request: 'req',
    });
    expect(new Set(Object.values(ID_PREFIXES)).size).toBe(Object.keys(ID_PREFIXES).length);
    const suffix = new RegExp(`^${ID_SUFFIX_PATTERN}$`);
    for (const good of ['0'.repeat(26), `7${'z'.repeat(25)}`, '01kcy5v3n7f2q8r4t6w9x0y1z2'])
      expect(good).toMatch(suffix);
    for (const bad of [`8${'z'.repeat(25)}`, '0'.repeat(25), '0'.repeat(27), `0${'i'.repeat(25)}`, 'A'.repeat(26)]) {
      expect(bad).not.toMatch(suffix);
    }
    expect(id('case', 'A case.')).toMatchObject({ pattern: `^case_${ID_SUFFIX_PATTERN}$` });
  });
});
