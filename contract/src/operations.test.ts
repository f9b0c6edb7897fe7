import { STATUS_CODES } from 'node:http';
import fc from 'fast-check';
import type { TArray, TObject } from 'typebox';
import { Compile } from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { ERROR_STATUSES, type ErrorCode } from './error-codes.ts';
import { ID_PREFIXES, type IdKind } from './id-prefixes.ts';
import { id } from './ids.ts';
import { type Operation, operations, TAGS } from './operations.ts';
import { type SessionOperation, sessionOperations } from './operations-session.ts';
import { ROLE_PERMISSIONS, ROLES, type Role } from './permissions.ts';
import { API_VERSIONS, NEWEST_API_VERSION } from './versions.ts';

const all = Object.entries(operations) as [string, Operation][];

describe('the operations', () => {
  test('have unique methods and paths, all below /v1', () => {
    const routes = all.map(([, of]) => `${of.method} ${of.path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(new Set(routes).size).toBe(routes.length);
    for (const [, of] of all) expect(of.path).toMatch(/^\/v1\/[a-z{]/);
  });

  test.each(all)('%s declares its path parameters, and has a body only with POST, PUT or PATCH', (_, of) => {
    const inPath = [...of.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(of.params ?? {})).toEqual(inPath);
    if (of.method === 'GET' || of.method === 'DELETE') expect(of.body).toBeUndefined();
    if (of.method === 'PUT') expect(of.body).toBeDefined();
    expect(of.response === undefined).toBe(of.status === 204);
    expect(Object.keys(TAGS)).toContain(of.tag);
  });

  test.each(all.filter(([, of]) => of.params !== undefined))(
    '%s can return not_found, because its path names a resource',
    (_, of) => {
      expect(of.errors).toContain('not_found');
    },
  );

  const isPaged = ([, of]: [string, Operation]) =>
    'has_more' in ((of.response as TObject | undefined)?.properties ?? {});
  test.each(all.filter(isPaged))('%s declares the cursor or offset of its next page', (_, of) => {
    const { items = '', before, next } = of.pages ?? {};
    const item = ((of.response as TObject).properties[items] as TArray<TObject> | undefined)?.items;
    const query = of.query?.properties as Record<string, { type: string; pattern?: string }>;
    if (next !== undefined) {
      expect(query).toHaveProperty('before');
      expect((of.response as TObject).properties).toHaveProperty(next);
    } else if (before === undefined) expect(query).toHaveProperty('offset');
    else {
      // The cursor has the type of the query parameter: an id of the same pattern, or a number.
      const { type, pattern } = query.before ?? {};
      expect(item?.properties[before]).toMatchObject({ type, ...(pattern === undefined ? {} : { pattern }) });
    }
  });
  test('have pages if and only if the response has has_more', () => {
    expect(all.filter(([, { pages }]) => pages !== undefined)).toEqual(all.filter(isPaged));
  });

  test('resolveCase has a specific error for a case that is not open and for an expired one', () => {
    expect(operations.resolveCase.errors).toEqual(expect.arrayContaining(['case_not_open', 'case_expired']));
  });
});

describe('a role', () => {
  // A check and a replay have a body but change nothing, and neither does presence, which is not stored. Everybody may
  // save views of their own.
  const isChange = (name: string): boolean => !/^(?:check|replay|setCasePresence)|View$/.test(name);
  const changing = all.filter(([name, of]) => of.method !== 'GET' && isChange(name));
  const CASE_WORK = [
    'resolveCase',
    'resolveManyCases',
    'reopenCase',
    'assignCase',
    'takeNextCase',
    'setCasePriority',
    'setCaseTags',
    'snoozeCase',
    'addCaseNote',
  ];
  const MAY_CHANGE: Readonly<Record<Role, readonly string[]>> = {
    admin: changing.map(([name]) => name),
    manager: [
      'reviewDecision',
      'addLabel',
      ...CASE_WORK,
      'createImport',
      'createList',
      'changeList',
      'deleteList',
      'addListEntries',
      'removeListEntry',
      'createRule',
      'changeRule',
      'deleteRule',
      'changePolicy',
      'createBacktest',
      'cancelBacktest',
      'trainModel',
      'promoteModel',
      'rollBackModel',
    ],
    service: ['screenTransaction', 'screenEvent'],
    analyst: ['reviewDecision', 'addLabel', ...CASE_WORK, 'addListEntries', 'createBacktest', 'cancelBacktest'],
    reader: [],
  };

  test.each(ROLES)('%s can change only the resources of its task, and read every result', (role) => {
    const isAllowed = (of: Operation) => ROLE_PERMISSIONS[role].includes(of.permission);
    expect(changing.filter(([, of]) => isAllowed(of)).map(([name]) => name)).toEqual(MAY_CHANGE[role]);
    const { getTransaction, getEvent, getDecision, getCase, getRiskProfile, listCases } = operations;
    expect([getTransaction, getEvent, getDecision, getCase, getRiskProfile, listCases].every(isAllowed)).toBe(true);
  });

  test.each(['manager', 'service', 'analyst', 'reader'] as const)(
    '%s can neither read nor create keys, nor register webhooks',
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

describe('error codes', () => {
  test.each(Object.entries(ERROR_STATUSES))('%s is a name in snake case with an HTTP error status', (code, status) => {
    expect(code).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(STATUS_CODES).toHaveProperty(String(status));
  });

  test.each(all)('%s lists each of its errors once, and only known ones', (_, { errors = [] }) => {
    expect(Object.keys(ERROR_STATUSES)).toEqual(expect.arrayContaining(errors as string[]));
    expect(new Set(errors).size).toBe(errors.length);
  });

  test('an error that only some operations have is listed by at least one', () => {
    const ofSessions = Object.values<SessionOperation>(sessionOperations);
    const every = [...all.map(([, of]) => of), ...ofSessions];
    const listed = new Set(every.flatMap(({ errors = [] }) => errors as string[]));
    // Conflicts depend on the state of a resource. The one of idempotency keys can occur in every POST.
    const conflicts = Object.keys(ERROR_STATUSES).filter((code) => ERROR_STATUSES[code as ErrorCode] === 409);
    expect(conflicts.filter((code) => !listed.has(code))).toEqual(['idempotency_in_progress']);
  });
});

test('the releases of the API are dates in ascending order, and the newest is the last', () => {
  for (const version of API_VERSIONS) expect(new Date(version).toISOString().slice(0, 10)).toBe(version);
  expect([...new Set(API_VERSIONS)].sort()).toEqual(API_VERSIONS);
  expect(API_VERSIONS.at(-1)).toBe(NEWEST_API_VERSION);
});

describe('identifiers', () => {
  const KINDS = Object.keys(ID_PREFIXES) as IdKind[];
  const EXAMPLE_SUFFIX = '01kcy5v3n7f2q8r4t6w9x0y1z2';
  const isId = (kind: IdKind, text: string): boolean => Compile(id(kind, '')).Check(text);

  test.each(KINDS)('a %s id is accepted as that kind and as no other', (kind) => {
    const accepted = KINDS.filter((other) => isId(other, `${ID_PREFIXES[kind]}_${EXAMPLE_SUFFIX}`));
    expect(accepted).toEqual([kind]);
  });

  test.each([
    ['too large for 128 bits', `8${'z'.repeat(25)}`],
    ['too short', '0'.repeat(25)],
    ['too long', '0'.repeat(27)],
    ['with a letter that is not in the alphabet', `0${'i'.repeat(25)}`],
    ['in upper case', 'A'.repeat(26)],
    ['followed by a line break', `${EXAMPLE_SUFFIX}\n`],
    ['preceded by another text', `x ${EXAMPLE_SUFFIX}`],
  ])('a suffix %s is refused', (_, suffix) => {
    expect(isId('case', `case_${suffix}`)).toBe(false);
  });

  test('sort by text as by time', () => {
    // Written independently of the service: 48 bits of time and 80 random bits, as 26 digits of base 32.
    const suffixOf = (ms: number, random: bigint): string => {
      let rest = (BigInt(ms) << 80n) | random;
      let text = '';
      for (let digit = 0; digit < 26; digit++, rest >>= 5n)
        text = '0123456789abcdefghjkmnpqrstvwxyz'[Number(rest & 31n)] + text;
      return text;
    };
    const time = fc.nat({ max: 2 ** 48 - 1 });
    const random = fc.bigInt({ min: 0n, max: 2n ** 80n - 1n });
    fc.assert(
      fc.property(time, random, time, random, (ms, bits, otherMs, otherBits) => {
        const [one, other] = [suffixOf(ms, bits), suffixOf(otherMs, otherBits)];
        expect([one, other].every((suffix) => isId('case', `case_${suffix}`))).toBe(true);
        if (ms !== otherMs) expect(one < other).toBe(ms < otherMs);
      }),
    );
  });
});
