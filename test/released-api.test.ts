import { readdirSync, readFileSync } from 'node:fs';
import { openapi } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { apiSurface } from '../scripts/api-surface.ts';

/** Differences that can break a caller of the released API. A field that callers may now omit is none; a new required one is. */
const breakingChanges = (released: readonly string[], current: readonly string[]): string[] => {
  const isRequiredInput = (line: string): boolean => line.startsWith('in ') && line.endsWith(' !');
  const removed = released.filter((line) => !current.includes(line) && !isRequiredInput(line));
  const objectOf = (line: string): string => line.replace(/[^.]+$/, '');
  const required = current
    .filter((line) => isRequiredInput(line) && !released.includes(line))
    // In a new operation or object any field may be required.
    .filter((line) => released.some((other) => other.startsWith(objectOf(line))));
  return [...removed.map((line) => `removed: ${line}`), ...required.map((line) => `required: ${line}`)];
};

const current = apiSurface(openapi('0.0.0') as object);
const folder = new URL('./released-api/', import.meta.url);

test.each(readdirSync(folder))('callers of the release %s still work', (file) => {
  const released = readFileSync(new URL(file, folder), 'utf8').trim().split('\n');
  expect(released.length).toBeGreaterThan(1000);
  expect(breakingChanges(released, current)).toEqual([]);
});

describe('a change of the API that breaks callers is found', () => {
  const without = (line: string): string[] => {
    expect(current).toContain(line);
    return current.filter((other) => other !== line);
  };

  test.each([
    ['a removed operation', 'in getCase is GET /v1/cases/{case_id}'],
    ['a removed field of a response', 'out Case.notes string'],
    ['a field of a response that may now be absent', 'out Case.notes !'],
    ['a removed field of a request', 'in TransactionRequest.email string'],
    ['a removed value', 'in EventRequest.type "login"'],
    ['a removed or moved error code', 'out resolveCase 409 case_expired'],
    ['another status', 'out deleteWebhook 204'],
    ['another prefix of an id', 'out Case.case_id ^case_[0-7][0-9a-hjkmnp-tv-z]{25}$'],
    ['a removed release of the API', 'in header.X-Api-Version "2026-11-01"'],
  ])('%s', (_, line) => {
    expect(breakingChanges(current, without(line))).toEqual([`removed: ${line}`]);
  });

  test('a field of a request that is now required', () => {
    const line = 'in TransactionRequest.amount !';
    expect(breakingChanges(without(line), current)).toEqual([`required: ${line}`]);
  });

  test.each([
    ['a new field of a response', 'out Case.notes !'],
    ['a new optional field of a request', 'in TransactionRequest.email string'],
    ['a new value', 'out Case.status "expired"'],
    ['a new error code', 'out resolveCase 409 case_expired'],
  ])('but not %s', (_, line) => {
    expect(breakingChanges(without(line), current)).toEqual([]);
  });

  test('but not a field of a request that is no longer required', () => {
    expect(breakingChanges(current, without('in TransactionRequest.amount !'))).toEqual([]);
  });
});
