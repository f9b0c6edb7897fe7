import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGE, OTHER_SECRET, SECRET, type Signed, signed } from '../client/test/sign.ts';
import { makeFolder, startService } from '../server/test/fixtures/harness.ts';
import { blocksOf } from './page-blocks.ts';
import { openShell } from './page-shell.ts';
import { type ExampleReceiver, startExampleReceiver } from './receiver-process.ts';

const ALL_OK = 'client ok, stripe ok, standardwebhooks ok';
const ALL_REFUSED = 'client no_match, stripe refused, standardwebhooks refused';

/** A message with the given id, signed now. */
const delivery = (id: string, secrets: readonly string[] = [SECRET]): { body: string; headers: Signed } => {
  const body = JSON.stringify({ ...MESSAGE, id });
  return { body, headers: signed(body, { id, at: Math.floor(Date.now() / 1000), secrets }) };
};

describe('the example receiver', () => {
  const folder = makeFolder();
  let receiver: ExampleReceiver;
  beforeAll(async () => {
    receiver = await startExampleReceiver(folder);
  });
  afterAll(() => receiver?.stop());
  const send = ({ body, headers }: { body: string | Buffer; headers: Signed }) => receiver.post(body, headers);

  test('responds with 503 until it has the secret, so that no message is lost', async () => {
    expect(await send(delivery('msg_early'))).toBe(503);
    writeFileSync(receiver.secretFile, `${SECRET}\n`);
    expect(await send(delivery('msg_early'))).toBe(204);
  });

  test('accepts a signed delivery with all three libraries', async () => {
    expect(await send(delivery('msg_good'))).toBe(204);
    await receiver.printed(new RegExp(`^msg_good transaction.screened: ${ALL_OK}$`, 'm'));
  });

  test('responds to a duplicate as to the first, and ignores it', async () => {
    expect(await send(delivery('msg_twice'))).toBe(204);
    expect(await send(delivery('msg_twice'))).toBe(204);
    await receiver.printed(/^msg_twice transaction\.screened \(duplicate, ignored\)/m);
  });

  test('responds with 400 to a changed body, which all three libraries detect', async () => {
    const { body, headers } = delivery('msg_forged');
    const forged = Buffer.from(body);
    forged[forged.length - 3] = (forged[forged.length - 3] as number) ^ 1;
    expect(await send({ body: forged, headers })).toBe(400);
    await receiver.printed(new RegExp(`^refused: ${ALL_REFUSED}$`, 'm'));
  });

  test('responds with 400 to a missing signature and to one of another secret', async () => {
    const { body } = delivery('msg_unsigned');
    expect(await receiver.post(body, {})).toBe(400);
    expect(await send(delivery('msg_other', [OTHER_SECRET]))).toBe(400);
  });

  test('responds with 400 if one of the three refuses it', async () => {
    const { body, headers } = delivery('msg_partly');
    expect(await receiver.post(body, { 'x-service-signature': headers['x-service-signature'] })).toBe(400);
    await receiver.printed(/^refused: client ok, stripe ok, standardwebhooks refused$/m);
  });

  test('accepts both secrets during a rotation', async () => {
    expect(await send(delivery('msg_both', [OTHER_SECRET, SECRET]))).toBe(204);
    writeFileSync(receiver.secretFile, `${OTHER_SECRET}\n${SECRET}\n`);
    expect(await send(delivery('msg_old', [SECRET]))).toBe(204);
    expect(await send(delivery('msg_new', [OTHER_SECRET]))).toBe(204);
    await receiver.printed(new RegExp(`^msg_new transaction.screened: ${ALL_OK}$`, 'm'));
  });

  test('refuses a body larger than any message', async () => {
    const body = 'x'.repeat(1024 * 1024 + 1);
    expect(await send({ body, headers: signed(body) })).toBe(413);
  });
});

describe('the README of the example receiver', () => {
  const readme = readFileSync(new URL('../examples/webhook-receiver/README.md', import.meta.url), 'utf8');
  const [startExample, startPortcullis, register, screen] = blocksOf(readme).filter(
    ({ language }) => language === 'sh',
  );
  const folder = makeFolder();
  let receiver: ExampleReceiver;
  const shell = openShell({ PATH: process.env.PATH ?? '' });
  beforeAll(async () => {
    receiver = await startExampleReceiver(folder);
  });
  afterAll(() => {
    shell.close();
    receiver?.stop();
  });

  test('has the commands of this test', () => {
    expect(startExample?.text).toBe('npm start -w examples/webhook-receiver');
    expect(startPortcullis?.text).toBe('WEBHOOK_CA_FILE=examples/webhook-receiver/data/certificate.pem npm start');
  });

  test('leads from a payment to a message that all three libraries accept, and a forged one is refused', async () => {
    const service = await startService({ env: { WEBHOOK_CA_FILE: receiver.certificateFile } });
    const key = await service.key();
    const typed = (text = ''): string =>
      text
        .replaceAll('http://127.0.0.1:8080', service.url)
        .replaceAll('https://127.0.0.1:8443/', receiver.url)
        .replaceAll('examples/webhook-receiver/data', folder)
        .replaceAll('sk_test_…', key);
    await shell.run(typed(register?.text));
    const { transaction_id } = JSON.parse(await shell.run(typed(screen?.text)));
    expect(transaction_id).toMatch(/^txn_/);
    await receiver.printed(new RegExp(`^msg_[0-9a-z]{26} transaction\\.screened: ${ALL_OK}$`, 'm'));

    const { body, headers } = delivery('msg_forged', [readFileSync(receiver.secretFile, 'utf8').trim()]);
    expect(await receiver.post(body, headers)).toBe(204);
    expect(await receiver.post(body.replace('sandbox', 'sandboy'), headers)).toBe(400);
  });
});
