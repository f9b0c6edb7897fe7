import { createHash } from 'node:crypto';
import { DeviceTokenPayload } from '@portcullis/contract';
import type { Page } from 'playwright-core';
import { Compile } from 'typebox/compile';
import { beforeAll, describe, expect, test } from 'vitest';
import { browser, PATIENCE_MS } from '../device/test/chromium.ts';
import { isKept, openShop, settled, tokenOf } from '../device/test/page.ts';
import { readToken } from '../device/test/verify.ts';
import { CHROMIUM } from '../scripts/find-chromium.ts';
import { type Client, client, payment, startService } from '../server/test/harness.ts';

const nameOf = (key: string | undefined): string =>
  `dvk_${createHash('sha256')
    .update(key as string, 'base64url')
    .digest('base64url')
    .slice(0, 22)}`;

describe.skipIf(CHROMIUM === undefined)('what a browser says, the service hears', { timeout: PATIENCE_MS }, () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  let page: Page;
  let caller: Client;
  beforeAll(async () => {
    shop = await openShop();
    // The clock that the browser goes by.
    const service = await startService({ clock: Date.now });
    caller = client(service, await service.key());
    page = await (await browser()).newPage();
    await page.goto(shop());
    await settled(page, isKept);
  }, PATIENCE_MS);

  const payWith = async (user_id: string, device_token: string) => {
    const { status, json } = await caller.pay(payment({ user_id, device_token }));
    expect(status).toBe(200);
    const { devices } = (await caller.get(`/v1/users/${user_id}/risk-profile`)).json;
    return {
      signals: json.signals as string[],
      devices: devices.map((of: { device_token: string }) => of.device_token),
    };
  };

  test('its device is named after its key, also when it comes back', async () => {
    const { key } = await settled(page, isKept);
    const first = await payWith('ada', await tokenOf(page));
    await page.reload();
    await settled(page, isKept);
    const second = await payWith('ada', await tokenOf(page));
    expect([first.devices, second.devices]).toEqual([[nameOf(key)], [nameOf(key)]]);
    for (const { signals } of [first, second]) {
      expect(signals).toContain('automated_browser');
      for (const wrong of ['tampered_token', 'replayed_token', 'old_token']) expect(signals).not.toContain(wrong);
    }
  });

  test('its token in the hands of another is a replay', async () => {
    const token = await tokenOf(page);
    await payWith('grace', token);
    expect((await payWith('mallory', token)).signals).toContain('replayed_token');
  });

  test('a token that was changed names no device', async () => {
    const token = await tokenOf(page);
    const middle = Math.floor(token.length / 2);
    const flipped = token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1);
    const { signals, devices } = await payWith('eve', flipped);
    expect([signals.includes('tampered_token'), devices]).toEqual([true, []]);
  });

  test('a degraded token is understood, and names no device', async () => {
    const insecure = await (await browser()).newPage();
    await insecure.goto(shop({ host: 'shop.test' }));
    await settled(insecure);
    const { signals, devices } = await payWith('joan', await tokenOf(insecure));
    expect([signals.includes('tampered_token'), signals.includes('automated_browser'), devices]).toEqual([
      false,
      true,
      [],
    ]);
  });

  test('each token is what the contract says', async () => {
    const check = Compile(DeviceTokenPayload);
    expect([...check.Errors(readToken(await tokenOf(page)).said)]).toEqual([]);
  });
});
