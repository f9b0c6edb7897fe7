import { DETAILED_KINDS, type EntityKind, fact, hash53, unpackFacts } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import {
  type ForgedField,
  TWINS,
  TWINS_OF_OTHER_KINDS,
  TWINS_OF_OTHER_TENANTS,
  VICTIM,
} from '../fixtures/forged-names.ts';
import { type Client, client, makeClock, profilePath, saved, startService } from '../fixtures/harness.ts';

const KIND_OF: Readonly<Record<ForgedField, EntityKind>> = {
  user_id: 'user',
  device_token: 'device',
  email: 'email',
  payment_fingerprint: 'fingerprint',
  counterparty_id: 'counterparty',
};
const FIELDS = Object.keys(VICTIM) as ForgedField[];
const PAYMENTS = 6;

const clock = makeClock();
const options = { clock: clock.now, logLevel: 'silent' };
let service = await startService(options);
// In this order, so that the tenants have the numbers 1, 2 and 3.
const keys = {
  victim: await service.key({ account: 'acme', environment: 'production' }),
  sandbox: await service.key({ account: 'acme', environment: 'sandbox' }),
  other: await service.key({ account: 'globex', environment: 'production' }),
};
const api = (who: keyof typeof keys): Client => client(service, keys[who]);

let unique = 0;
/** A payment in which only the given fields are known to anyone. */
const payWith = (who: keyof typeof keys, fields: Partial<Record<ForgedField, string>>) =>
  api(who).pay({ user_id: `nobody_${++unique}`, amount: 20, currency: 'EUR', ...fields });

/** The entities of the newest screening that had a history before it. The account takes part in every screening. */
const knownEntities = async (): Promise<string[]> => {
  const rows = await service.app.backend.read<{ facts: Uint8Array }>(
    'SELECT facts FROM screenings ORDER BY seq DESC LIMIT 1',
  );
  const facts = unpackFacts(rows[0]?.facts as Uint8Array);
  // NaN where the subject has no such entity, or its history is unavailable.
  return DETAILED_KINDS.filter((kind) => (facts[fact(`${kind}.actions`)] as number) > 0);
};

const restart = async (): Promise<void> => {
  const { dataDir } = service;
  await service.stop();
  service = await startService({ ...options, dataDir });
};

const victimProfile = async () => (await api('victim').get(profilePath(VICTIM.user_id))).json;

test('the names have the hashes that release 0.1 confused', () => {
  for (const field of FIELDS) {
    expect(TWINS[field]).not.toBe(VICTIM[field]);
    expect(hash53(TWINS[field])).toBe(hash53(VICTIM[field]));
  }
});

describe.each(['in a running service', 'after a restart'])('a forged name %s', (when) => {
  test('shares nothing of the name it imitates', async () => {
    if (when === 'in a running service') {
      for (let i = 0; i < PAYMENTS; i++) await payWith('victim', VICTIM);
      const { json } = await payWith('victim', VICTIM);
      await api('victim').post('/v1/labels', { transaction_id: json.transaction_id, label: 'fraud', source: 'test' });
      expect(await knownEntities()).toEqual(
        DETAILED_KINDS.filter((kind) => kind === 'domain' || Object.values(KIND_OF).includes(kind)),
      );
    } else await restart();
    const before = await victimProfile();
    expect(before).toMatchObject({ transactions: { count: PAYMENTS + 1 }, confirmed_fraud: 1 });

    // Twice: the second screening knows the twin, and only the twin.
    for (const seen of when === 'in a running service' ? [0, 1] : [2, 3])
      for (const field of FIELDS) {
        await payWith('victim', { [field]: TWINS[field] });
        const others = field === 'email' ? ['domain'] : [];
        const own = seen === 0 ? [] : [KIND_OF[field]];
        expect((await knownEntities()).sort()).toEqual([...own, ...others].sort());
      }
    for (const { tenant, names } of TWINS_OF_OTHER_TENANTS)
      for (const [field, name] of Object.entries(names)) {
        await payWith(tenant === 2 ? 'sandbox' : 'other', { [field]: name });
        expect(await knownEntities()).toEqual(when === 'after a restart' ? [KIND_OF[field as ForgedField]] : []);
      }
    for (const [field, name] of Object.entries(TWINS_OF_OTHER_KINDS)) {
      await payWith('victim', { [field]: name });
      expect(await knownEntities()).toEqual(when === 'after a restart' ? [KIND_OF[field as ForgedField]] : []);
    }
    for (const who of ['sandbox', 'other'] as const) {
      await payWith(who, VICTIM);
      if (when === 'in a running service') expect(await knownEntities()).toEqual([]);
    }

    expect(await victimProfile()).toEqual(before);
    expect((await api('victim').get(profilePath(TWINS.user_id))).json).toMatchObject({
      transactions: { count: when === 'in a running service' ? 2 : 4 },
      confirmed_fraud: 0,
    });
    expect((await api('other').get(profilePath(VICTIM.user_id))).json).toMatchObject({ confirmed_fraud: 0 });
    await saved(service);
  });

  test('does not fail the save of any history', async () => {
    await restart();
    expect(await victimProfile()).toMatchObject({ transactions: { count: PAYMENTS + 1 }, confirmed_fraud: 1 });
    expect((await api('victim').get(profilePath(TWINS.user_id))).json.transactions.count).toBeGreaterThan(1);
  });
});

describe('a list', () => {
  test('does not match a forged name', async () => {
    const kinds = {
      user_id: 'user',
      device_token: 'device',
      email: 'email',
      payment_fingerprint: 'payment_fingerprint',
      counterparty_id: 'counterparty',
    };
    const entries = FIELDS.map((field) => ({ kind: kinds[field], value: VICTIM[field] }));
    await api('victim').post('/v1/lists/block/entries', { entries });
    for (const field of FIELDS) {
      expect((await payWith('victim', { [field]: VICTIM[field] })).json.signals).toContain('list.block');
      expect((await payWith('victim', { [field]: TWINS[field] })).json.signals).not.toContain('list.block');
    }
  });
});
