import { openapi } from '@portcullis/contract';
import { expect, test } from 'vitest';
import { NO_IDS, OPERATIONS, pathOf } from '../fixtures/every-operation.ts';
import { client, makeClock, startService } from '../fixtures/harness.ts';

/** The examples contain dates, so the clock stands at that time. */
const clock = makeClock();
const service = await startService({ clock: clock.now });
const { paths } = openapi('0') as unknown as {
  paths: Record<string, Record<string, { requestBody: { content: Record<string, { example: unknown }> } }>>;
};

test.each(OPERATIONS.filter(([, { body }]) => body !== undefined))(
  'the example of %s in the OpenAPI document is a valid request',
  async (id, operation) => {
    const { method, path } = operation;
    const { post, put } = client(service, await service.key({ account: id }));
    const example = paths[path]?.[method.toLowerCase()]?.requestBody.content['application/json']?.example;
    const { status, text } = await (method === 'PUT' ? put : post)(pathOf(operation, NO_IDS), example);
    expect([status, text]).not.toEqual([400, text]);
  },
);
