import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { browser, makeProfile, PATIENCE_MS, setPreferences, withProfile } from './chromium.ts';
import { completeContent, hasStoredKey, NOTHING_ELSE, startShop, tokenOf, watch } from './page.ts';
import { readToken, type TokenContent } from './verify.ts';

describe.skipIf(CHROMIUM === undefined)('a token of a real browser', { timeout: PATIENCE_MS }, () => {
  let shop: Awaited<ReturnType<typeof startShop>>;
  let context: BrowserContext;
  let page: Page;
  let seen: ReturnType<typeof watch>;
  let content: TokenContent;
  beforeAll(async () => {
    shop = await startShop();
    context = await (await browser()).newContext({ timezoneId: 'Europe/Lisbon', locale: 'pt-PT' });
    page = await context.newPage();
    seen = watch(page);
    await page.goto(shop());
    content = await completeContent(page, hasStoredKey);
  }, PATIENCE_MS);

  test('is signed by the key it names, and short', async () => {
    const token = await tokenOf(page);
    expect(readToken(token)).toMatchObject({ isSigned: true, isGenuine: true, content: { v: 1, kept: true } });
    expect(token.length).toBeLessThan(2000);
    expect(Buffer.from(content.key as string, 'base64url')).toHaveLength(65);
  });

  test('is different each time, with its creation time', async () => {
    const from = await page.evaluate<number>('Date.now()');
    const tokens = [readToken(await tokenOf(page)).content, readToken(await tokenOf(page)).content] as const;
    const until = await page.evaluate<number>('Date.now()');
    expect(tokens[0].id).not.toBe(tokens[1].id);
    for (const { id, at } of tokens) {
      expect(id).toMatch(/^[\w-]{22}$/);
      expect(at >= from && at <= until).toBe(true);
    }
    expect(tokens[0].key).toBe(tokens[1].key);
  });

  test('has time zone, languages and screen', () => {
    expect(content).toMatchObject({ zone: 'Europe/Lisbon', languages: ['pt-PT'], screen: [1280, 720, 24, 1] });
  });

  test('has the components of both tiers, in short form', () => {
    const desktop = ['platform', 'architecture', 'cores', 'memory', 'touch', 'gpu'];
    expect(Object.keys(content.hard)).toEqual(desktop);
    expect(Object.keys(content.soft)).toEqual(['fonts', 'audio', 'brands', 'vendor', 'math', 'canvas']);
    for (const value of [...Object.values(content.hard), ...Object.values(content.soft)])
      expect(typeof value === 'number' || (value !== '' && value.length <= 128)).toBe(true);
    expect(content.hard.gpu).not.toMatch(/\d\.\d/);
  });

  test('causes no request, cookie, console message or error, and leaves the page unchanged', async () => {
    expect(seen).toEqual(NOTHING_ELSE);
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate('[document.cookie, localStorage.length, sessionStorage.length]')).toEqual(['', 0, 0]);
    expect(await page.evaluate('document.querySelectorAll("iframe, canvas").length')).toBe(0);
  });

  test('reports a headless, automated browser', () => {
    expect(content.automation).toEqual(['webdriver', 'headless']);
  });

  test('reports no automation for an ordinary browser', () =>
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
        expect((await completeContent(page)).automation).toEqual([]);
      },
    ));

  test('keeps key and components after a reload, a restart, on another screen, zoomed and in another language', async () => {
    const profile = makeProfile();
    const visit = (options: Parameters<typeof withProfile>[1], visits: number) =>
      withProfile(profile, options, async (context) => {
        const page = await context.newPage();
        const content: TokenContent[] = [];
        for (let visit = 0; visit < visits; visit++) {
          await page.goto(shop());
          content.push(await completeContent(page, hasStoredKey));
        }
        return content;
      });
    const [first, reloaded] = await visit({ viewport: { width: 1280, height: 720 }, locale: 'en-GB' }, 2);
    const [moved] = await visit({ viewport: { width: 700, height: 900 }, deviceScaleFactor: 2, locale: 'ja-JP' }, 1);
    expect(moved).toMatchObject({ languages: ['ja-JP'], screen: [700, 900, 24, 2] });
    setPreferences(profile, { partition: { default_zoom_level: { x: 2.5 } } });
    const [enlarged] = await visit({ viewport: null }, 1);
    expect(enlarged?.screen?.[3]).toBeGreaterThan(1.5);
    for (const { key, hard, soft } of [reloaded, moved, enlarged] as TokenContent[])
      expect({ key, hard, soft }).toEqual({ key: first?.key, hard: first?.hard, soft: first?.soft });
  });

  test('has another key but the same components in another profile', async () => {
    const profiles = [makeProfile(), makeProfile()];
    const [one, other] = await Promise.all(
      profiles.map((profile) =>
        withProfile(profile, {}, async (context) => {
          const page = await context.newPage();
          await page.goto(shop());
          return completeContent(page, hasStoredKey);
        }),
      ),
    );
    expect(one?.key).not.toBe(other?.key);
    expect({ hard: one?.hard, soft: one?.soft }).toEqual({ hard: other?.hard, soft: other?.soft });
  });

  test('has one key for tabs that start at once, even if the script is loaded twice', async () => {
    const fresh = await (await browser()).newContext();
    // All tabs look for a key, and find none, before any generates one.
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
    const content = await Promise.all(tabs.map((tab) => completeContent(tab, hasStoredKey)));
    // The module does not share code or state with the script.
    const [tab] = tabs as [Page];
    await tab.evaluate('import("/module.js").then((module) => { globalThis.Portcullis = { ...module }; })');
    content.push(await completeContent(tab, hasStoredKey));
    expect(new Set(content.map(({ key }) => key)).size).toBe(1);
    await fresh.close();
  });
});
