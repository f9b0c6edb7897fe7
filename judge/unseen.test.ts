import { expect, test } from 'vitest';
import { makeItemReader } from '../server/src/offline/item-reader.ts';
import { BLIND_ATTACKS } from '../server/test/fixtures/blind/blind-scenarios.ts';
import { ATTACKS, attackTraffic } from '../server/test/fixtures/unseen-scenarios.ts';
import { openShippedKnowledge } from './knowledge.ts';

const ALL = [...ATTACKS, ...BLIND_ATTACKS];

test('attacks have different names', () => {
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
});

test.each(ALL.map((attack) => [attack.name, attack] as const))(
  'every request of %s is one that the service accepts',
  (_, attack) => {
    const read = makeItemReader({ warn: () => undefined, knowledge: openShippedKnowledge() });
    const frauds = attackTraffic(attack, 'rich', 11).filter(({ label }) => label === 'fraud');
    expect(frauds.some(({ isCounted }) => isCounted)).toBe(true);
    for (const [i, { kind, request, occurred_at }] of frauds.entries())
      read({ line: i + 1, fields: { kind, occurred_at: new Date(occurred_at).toISOString(), ...request } });
  },
);
