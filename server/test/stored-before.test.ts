import { rmSync } from 'node:fs';
import { fact, packFacts, unpackFacts } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { client, DAY_MS, makeClock, payment, startService } from './harness.ts';
import { changeRecords, readRecords } from './records.ts';
import { isShared } from './shared-store.ts';

/** Lines of access providers in Germany and Japan, as the built-in tables have them. */
const GERMANY = '91.0.0.1';
const JAPAN = '126.0.0.1';

interface Row {
  readonly seq: number;
  readonly facts: Uint8Array;
}
/** Stored as it was before there was a device SDK: the facts ended where what it tells begins. */
const putBack = async (folder: string): Promise<void> => {
  for (const { seq, facts } of await readRecords<Row>(folder, 'SELECT seq, facts FROM screenings')) {
    const before = packFacts(unpackFacts(facts).slice(0, fact('device_state')));
    await changeRecords(folder, 'UPDATE screenings SET facts = ?, facts_version = 3 WHERE seq = ?', before, seq);
  }
};

describe.skipIf(isShared)('a store from before there was a device SDK', () => {
  test.each([
    ['with its histories', false],
    ['whose histories are made anew', true],
  ])('%s goes on with all that was known, and tells of its decisions as ever', async (_, anew) => {
    const clock = makeClock();
    const before = await startService({ clock: clock.now });
    const key = await before.key();
    const paid = await client(before, key).pay(payment({ user_id: 'ada', ip_address: GERMANY, amount: 5000 }));
    for (let day = 1; day < 4; day++) {
      clock.advance(DAY_MS);
      await client(before, key).pay(payment({ user_id: 'ada', ip_address: GERMANY, device_token: 'phone' }));
    }
    const path = `/v1/decisions/${paid.json.decision_id}?factors=exact`;
    const told = (await client(before, key).get(path)).json;
    expect(told.warnings).toBeUndefined();
    await before.stop();
    await putBack(before.dataDir);
    for (const file of anew ? ['counters.db', 'counters.db-wal', 'counters.db-shm'] : [])
      rmSync(`${before.dataDir}/${file}`, { force: true });

    const { pay, get } = client(await startService({ clock: clock.now, dataDir: before.dataDir }), key);
    expect((await get(path)).json).toEqual(told);
    clock.advance(DAY_MS);
    const { json } = await pay(payment({ user_id: 'ada', ip_address: JAPAN, device_token: 'laptop' }));
    expect(json.signals).toEqual(expect.arrayContaining(['new_country', 'new_device', 'ip_mismatch']));
    const profile = (await get('/v1/users/ada/risk-profile')).json;
    expect(profile.countries.map(({ country }: { country: string }) => country)).toEqual(['JP', 'DE']);
  });
});
