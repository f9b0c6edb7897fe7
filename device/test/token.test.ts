import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { browser, makeProfile, PATIENCE_MS, setPreferences, withProfile } from './chromium.ts';
import { isKept, NOTHING_ELSE, openShop, settled, tokenOf, watch } from './page.ts';
import { readToken, type Said } from './verify.ts';

describe.skipIf(CHROMIUM === undefined)('a token of a real browser', { timeout: PATIENCE_MS }, () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  let context: BrowserContext;
  let page: Page;
  let seen: ReturnType<typeof watch>;
  let said: Said;
  beforeAll(async () => {
    shop = await openShop();
    context = await (await browser()).newContext({ timezoneId: 'Europe/Lisbon', locale: 'pt-PT' });
    page = await context.newPage();
    seen = watch(page);
    await page.goto(shop());
    said = await settled(page, isKept);
  }, PATIENCE_MS);

  test('is signed by the key it names, and short', async () => {
    const token = await tokenOf(page);
    expect(readToken(token)).toMatchObject({ isSigned: true, isGenuine: true, said: { v: 1, kept: true } });
    expect(token.length).toBeLessThan(2000);
    expect(Buffer.from(said.key as string, 'base64url')).toHaveLength(65);
  });

  test('is another one each time, with the time it was made at', async () => {
    const from = await page.evaluate<number>('Date.now()');
    const tokens = [readToken(await tokenOf(page)).said, readToken(await tokenOf(page)).said] as const;
    const until = await page.evaluate<number>('Date.now()');
    expect(tokens[0].id).not.toBe(tokens[1].id);
    for (const { id, at } of tokens) {
      expect(id).toMatch(/^[\w-]{22}$/);
      expect(at >= from && at <= until).toBe(true);
    }
    expect(tokens[0].key).toBe(tokens[1].key);
  });

  test('says where and how the browser is used', () => {
    expect(said).toMatchObject({ zone: 'Europe/Lisbon', languages: ['pt-PT'], screen: [1280, 720, 24, 1] });
  });

  test('has the components of both tiers, and short ones', () => {
    const desktop = ['platform', 'architecture', 'cores', 'memory', 'touch', 'gpu'];
    expect(Object.keys(said.hard)).toEqual(desktop);
    expect(Object.keys(said.soft)).toEqual(['fonts', 'audio', 'brands', 'vendor', 'math', 'canvas']);
    for (const value of [...Object.values(said.hard), ...Object.values(said.soft)])
      expect(typeof value === 'number' || (value !== '' && value.length <= 128)).toBe(true);
    expect(said.hard.gpu).not.toMatch(/\d\.\d/);
  });

  test('costs no request, no cookie, no word on the console and no error, and the page is as it was', async () => {
    expect(seen).toEqual(NOTHING_ELSE);
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate('[document.cookie, localStorage.length, sessionStorage.length]')).toEqual(['', 0, 0]);
    expect(await page.evaluate('document.querySelectorAll("iframe, canvas").length')).toBe(0);
  });

  test('says of a headless browser under automation that it is one', () => {
    expect(said.automation).toEqual(['webdriver', 'headless']);
  });

  test("says of a browser that looks like a person's nothing of the kind", () =>
    withProfile(
      makeProfile(),
      {
        args: ['--disable-blink-features=AutomationControlled'],
        userAgent:
          'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
      },
      async (context) => {
        const page = await context.newPage();
        await page.goto(shop());
        expect((await settled(page)).automation).toEqual([]);
      },
    ));

  test('has the same key and components after a reload and a restart, on another screen, enlarged and in another language', async () => {
    const profile = makeProfile();
    const visit = (options: Parameters<typeof withProfile>[1], visits: number) =>
      withProfile(profile, options, async (context) => {
        const page = await context.newPage();
        const said: Said[] = [];
        for (let visit = 0; visit < visits; visit++) {
          await page.goto(shop());
          said.push(await settled(page, isKept));
        }
        return said;
      });
    const [first, reloaded] = await visit({ viewport: { width: 1280, height: 720 }, locale: 'en-GB' }, 2);
    const [moved] = await visit({ viewport: { width: 700, height: 900 }, deviceScaleFactor: 2, locale: 'ja-JP' }, 1);
    expect(moved).toMatchObject({ languages: ['ja-JP'], screen: [700, 900, 24, 2] });
    setPreferences(profile, { partition: { default_zoom_level: { x: 2.5 } } });
    const [enlarged] = await visit({ viewport: null }, 1);
    expect(enlarged?.screen?.[3]).toBeGreaterThan(1.5);
    for (const { key, hard, soft } of [reloaded, moved, enlarged] as Said[])
      expect({ key, hard, soft }).toEqual({ key: first?.key, hard: first?.hard, soft: first?.soft });
  });

  test('of another profile has another key, and the same components', async () => {
    const profiles = [makeProfile(), makeProfile()];
    const [one, other] = await Promise.all(
      profiles.map((profile) =>
        withProfile(profile, {}, async (context) => {
          const page = await context.newPage();
          await page.goto(shop());
          return settled(page, isKept);
        }),
      ),
    );
    expect(one?.key).not.toBe(other?.key);
    expect({ hard: one?.hard, soft: one?.soft }).toEqual({ hard: other?.hard, soft: other?.soft });
  });

  test('has one key however many tabs ask first, and however often the script was loaded', async () => {
    const fresh = await (await browser()).newContext();
    // None has its key before all of them have looked and found none.
    await fresh.addInitScript(`
      const make = SubtleCrypto.prototype.generateKey;
      SubtleCrypto.prototype.generateKey = async function (...args) {
        await new Promise((go) => { window.go = go; });
        return make.apply(this, args);
      };
    `);
    const tabs = await Promise.all(Array.from({ length: 3 }, () => fresh.newPage()));
    for (const tab of tabs) {
      await tab.goto(shop());
      await tab.addScriptTag({ url: '/device.js' });
      await tab.evaluate('void Portcullis.getDeviceToken()');
      await tab.waitForFunction('window.go');
    }
    await Promise.all(tabs.map((tab) => tab.evaluate('go()')));
    const said = await Promise.all(tabs.map((tab) => settled(tab, isKept)));
    // The module beside the script is code of its own, which knows nothing of the other's.
    const [tab] = tabs as [Page];
    await tab.evaluate('import("/module.js").then((module) => { globalThis.Portcullis = { ...module }; })');
    said.push(await settled(tab, isKept));
    expect(new Set(said.map(({ key }) => key)).size).toBe(1);
    await fresh.close();
  });
});
