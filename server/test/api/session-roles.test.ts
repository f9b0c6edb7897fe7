import { type OperationId, PERSON_ROLES } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { NO_IDS, OPERATIONS, request } from '../fixtures/every-operation.ts';
import { type Reply, type Sent, startService } from '../fixtures/harness.ts';
import { addPerson } from '../fixtures/people.ts';

const service = await startService({ env: { TRAIN_DAILY: 'off' } });

/** A key must name the analyst, a session must not name another. */
const OWN_BODIES: Partial<Record<OperationId, unknown>> = { takeNextCase: {} };

const outcomeOf = ({ status, json }: Reply): [number, string | undefined] => [status, json?.error?.code];
/** Two permitted requests can differ: the second may find what the first has created, or a job that it began. */
const permissionOf = ({ status, json }: Reply): string => {
  if (status === 403) return json.error.code;
  expect([400, 401]).not.toContain(status);
  return 'permitted';
};

test.each(PERSON_ROLES)('a session of role %s may do exactly what a key of this role may', async (role) => {
  const key = await service.key({ role });
  const { page } = await addPerson(service, { sandbox: role });
  const headers = {
    cookie: page.cookie(),
    'sec-fetch-site': 'same-origin',
    'x-portcullis-environment': 'sandbox',
  };
  for (const [id] of OPERATIONS) {
    const body = OWN_BODIES[id];
    const sent: Sent = { headers, ...(body === undefined ? {} : { body }) };
    const [byKey, bySession] = [
      await request(service, id, NO_IDS, { key }),
      await request(service, id, NO_IDS, sent),
    ].map(permissionOf);
    expect([id, bySession]).toEqual([id, byKey]);
  }
});

test('a session is refused by every operation from another site, before its body is read', async () => {
  const { page } = await addPerson(service, { sandbox: 'admin' });
  const headers = { cookie: page.cookie(), 'x-portcullis-environment': 'sandbox', 'sec-fetch-site': 'cross-site' };
  for (const [id, { method }] of OPERATIONS) {
    if (method === 'GET') continue;
    const reply = await request(service, id, NO_IDS, { headers, body: { no: 'field' } });
    expect([id, ...outcomeOf(reply)]).toEqual([id, 403, 'cross_site_request']);
  }
  const { 'x-portcullis-environment': _, ...plain } = headers;
  for (const [id] of OPERATIONS) {
    const reply = await request(service, id, NO_IDS, { headers: plain });
    expect([id, ...outcomeOf(reply)]).toEqual([id, 403, 'cross_site_request']);
  }
});
