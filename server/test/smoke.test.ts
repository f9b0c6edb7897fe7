import { expect, test } from 'vitest';
import { payment, startService } from './harness.ts';

test('a screening is answered, stored and read back', async () => {
  const service = await startService();
  const key = await service.key();
  const posted = await service.call('POST', '/v1/transactions/screen', { key, body: payment() });
  expect(posted.status).toBe(200);
  const got = await service.call('GET', `/v1/transactions/${posted.json.transaction_id}`, { key });
  expect(got.text).toBe(posted.text);
});
