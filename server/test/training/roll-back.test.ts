import fc from 'fast-check';
import { expect, test } from 'vitest';
import { client, type Json, startService } from '../fixtures/harness.ts';
import { addChallenger, withoutTrees } from '../fixtures/model-files.ts';

const service = await startService({ logLevel: 'error', env: { TRAIN_DAILY: 'off' } });
const files = [1, 2, 3].map(withoutTrees);
const versions = files.map((file) => file.model_version);
let accounts = 0;

/** A new account with three challengers. */
const open = async () => {
  const account = `account_${accounts++}`;
  const api = client(service, await service.key({ account, environment: 'production' }));
  for (const file of files) await addChallenger(service.app.backend, account, file);
  const promote = async (version: string): Promise<Json> => (await api.post(`/v1/models/${version}/promote`, {})).json;
  return { api, promote, rollBack: () => api.post('/v1/models/rollback', undefined) };
};
const [{ model_version: shipped }] = (
  await client(service, await service.key({ account: 'new', environment: 'production' })).get('/v1/models')
).json.models;

test('after a model is promoted twice, rollbacks reach the champion before it, then the base model', async () => {
  const { promote, rollBack } = await open();
  const [first, second] = versions as [string, string];
  for (const version of [first, second, first]) expect((await promote(version)).status).toBe('champion');
  const back = [(await rollBack()).json, (await rollBack()).json];
  expect(back.map(({ model_version }) => model_version)).toEqual([second, shipped]);
  expect((await rollBack()).json.error.code).toBe('no_earlier_model');
});

test('rollbacks reach each earlier champion once, newest first, after any order of promotions and rollbacks', async () => {
  const step = fc.constantFrom(...versions, shipped, 'back');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { promote, rollBack } = await open();
      let before: string[] = [];
      for (const chosen of steps) {
        if (chosen === 'back') {
          await rollBack();
          before = before.slice(1);
          continue;
        }
        const isChampion = chosen === (before[0] ?? shipped);
        await promote(chosen);
        if (chosen === shipped) before = [];
        else if (!isChampion) before = [chosen, ...before.filter((version) => version !== chosen)];
      }
      const reached: string[] = [];
      for (const _ of before) reached.push((await rollBack()).json.model_version);
      expect(reached).toEqual([...before.slice(1), ...(before.length === 0 ? [] : [shipped])]);
      expect((await rollBack()).status).toBe(409);
    }),
    { numRuns: 25 },
  );
});
