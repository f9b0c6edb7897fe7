import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fact, packFacts, unpackFacts } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { makeRows, train } from '../../../engine/test/training.ts';
import { client, DAY_MS, makeClock, makeFolder, payment, startService } from '../fixtures/harness.ts';
import { changeRecords, readRecords } from '../fixtures/records.ts';
import { isShared } from '../fixtures/shared-store.ts';

/** Addresses of access providers in Germany and Japan, according to the built-in tables. */
const GERMANY = '91.0.0.1';
const JAPAN = '126.0.0.1';

/** Trees learn it better than a logistic regression, and only trees give exact factors. */
const risk = ([dollars = 0, payments = 0]: readonly number[]): number => (dollars > 5 && payments < 2 ? 0.8 : 0.02);
/** A base model of that version: all its features are facts that the version stored. */
const writeOldModel = (): string => {
  const path = join(makeFolder(), 'model.json');
  writeFileSync(path, JSON.stringify(train(makeRows(2000, 1, risk))));
  return path;
};

interface Row {
  readonly seq: number;
  readonly facts: Uint8Array;
}
/** Rewrites stored facts in the version before the device SDK, without the facts of device tokens. */
const downgradeFacts = async (folder: string): Promise<void> => {
  for (const { seq, facts } of await readRecords<Row>(folder, 'SELECT seq, facts FROM screenings')) {
    const before = packFacts(unpackFacts(facts).slice(0, fact('device_state')));
    await changeRecords(folder, 'UPDATE screenings SET facts = ?, facts_version = 3 WHERE seq = ?', before, seq);
  }
};

describe.skipIf(isShared)('a store written before the device SDK', () => {
  test.each([
    ['with its histories', false],
    ['with rebuilt histories', true],
  ])('%s keeps its knowledge and returns the same decisions', async (_, isRebuilt) => {
    const clock = makeClock();
    const before = await startService({ clock: clock.now, env: { MODEL_FILE: writeOldModel() } });
    const key = await before.key();
    const paid = await client(before, key).pay(payment({ user_id: 'ada', ip_address: GERMANY, amount: 5000 }));
    for (let day = 1; day < 4; day++) {
      clock.advance(DAY_MS);
      await client(before, key).pay(payment({ user_id: 'ada', ip_address: GERMANY, device_token: 'phone' }));
    }
    const path = `/v1/decisions/${paid.json.decision_id}?factors=exact`;
    const decision = (await client(before, key).get(path)).json;
    expect(decision.warnings).toBeUndefined();
    expect(decision.factors[0].contribution).toBeGreaterThan(10);
    await before.stop();
    await downgradeFacts(before.dataDir);
    for (const file of isRebuilt ? ['counters.db', 'counters.db-wal', 'counters.db-shm'] : [])
      rmSync(`${before.dataDir}/${file}`, { force: true });

    const { pay, get } = client(await startService({ clock: clock.now, dataDir: before.dataDir }), key);
    expect((await get(path)).json).toEqual(decision);
    clock.advance(DAY_MS);
    const { json } = await pay(payment({ user_id: 'ada', ip_address: JAPAN, device_token: 'laptop' }));
    expect(json.signals).toEqual(expect.arrayContaining(['new_country', 'new_device', 'ip_mismatch']));
    const profile = (await get('/v1/users/ada/risk-profile')).json;
    expect(profile.countries.map(({ country }: { country: string }) => country)).toEqual(['JP', 'DE']);
  });
});
