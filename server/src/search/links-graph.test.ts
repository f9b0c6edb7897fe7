import { expect, test } from 'vitest';
import { draw } from './links-graph.ts';
import type { SearchReader } from './query-store.ts';
import { ENTITY_TERMS, packTerms } from './terms.ts';

const [USER, DEVICE] = [7, 8];
const item = {
  ...{ seq: 1, at: 1000, usd: null, currency: null, country: null, label: null },
  terms: packTerms(
    ENTITY_TERMS.map((kind) => (kind === 'user' ? USER : kind === 'device' ? DEVICE : 0)),
    [],
  ),
};
const range = { first: 0, before: Number.MAX_SAFE_INTEGER };
/** Answers as many reads, and then none. */
const answering = (reads: number): SearchReader => {
  let left = reads;
  return { readLong: <Row>() => (left-- > 0 ? Promise.resolve([item] as Row[]) : new Promise<Row[]>(() => {})) };
};
const drawn = (reads: number) =>
  draw(
    { search: answering(reads), monotonic: () => performance.now() },
    1,
    range,
    { entity: 'user', term: USER },
    1,
    50,
  );

test('a graph whose next read is not answered in time has what was read, and says so', async () => {
  const { nodes, edges, cut } = await drawn(1);
  expect([nodes.map(({ term }) => term), edges, cut]).toEqual([[USER], [], ['time']]);
  const whole = await drawn(2);
  expect([whole.nodes.map(({ term }) => term), whole.edges.length, whole.cut]).toEqual([[USER, DEVICE], 1, []]);
});

test('a graph without any answer is empty and cut, after two seconds', async () => {
  const began = performance.now();
  const { nodes, cut } = await drawn(0);
  expect([nodes, cut]).toEqual([[], ['time']]);
  expect(performance.now() - began).toBeGreaterThan(1900);
});

test('a failed read fails the request', async () => {
  const search: SearchReader = { readLong: () => Promise.reject(new Error('no store')) };
  const failing = draw({ search, monotonic: () => 0 }, 1, range, { entity: 'user', term: USER }, 1, 50);
  await expect(failing).rejects.toThrow('no store');
});
