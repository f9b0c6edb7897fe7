import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { browser, makeProfile, PATIENCE_MS, setPreferences, withProfile } from './chromium.ts';
import { completeContent, hasStoredKey, NOTHING_ELSE, startShop, tokenOf, watch } from './page.ts';
import { readToken } from './verify.ts';

const STRICT = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Permissions-Policy': 'ch-ua-model=(), ch-ua-arch=(), ch-ua-platform-version=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
const NEVER = 'new Promise(() => {})';

describe.skipIf(CHROMIUM === undefined)('a token under adverse conditions', { timeout: PATIENCE_MS }, () => {
  let shop: Awaited<ReturnType<typeof startShop>>;
  beforeAll(async () => {
    shop = await startShop();
  }, PATIENCE_MS);

  /** Opens the shop in a new private window whose page runs `before` first. */
  const visit = async (
    use: (page: Page) => Promise<void>,
    {
      before,
      options,
      ...query
    }: { before?: string; options?: BrowserContextOptions } & Parameters<typeof shop>[0] = {},
  ): Promise<void> => {
    const context = await (await browser()).newContext(options);
    if (before !== undefined) await context.addInitScript(before);
    const page = await context.newPage();
    const seen = watch(page);
    await page.goto(shop(query));
    await use(page);
    expect(seen).toEqual(NOTHING_ELSE);
    expect(await context.cookies()).toEqual([]);
    await context.close();
  };

  test('is complete under a strict Content-Security-Policy', () =>
    visit(
      async (page) => {
        expect(await completeContent(page, hasStoredKey)).toMatchObject({ missing: [], kept: true });
        expect(readToken(await tokenOf(page)).isGenuine).toBe(true);
      },
      { headers: STRICT },
    ));

  test('has a key for the life of the page if cookies and site data are blocked', async () => {
    const profile = makeProfile();
    setPreferences(profile, { profile: { default_content_setting_values: { cookies: 2 } } });
    await withProfile(profile, {}, async (context) => {
      const page = await context.newPage();
      const seen = watch(page);
      const keys: (string | undefined)[] = [];
      for (let visit = 0; visit < 2; visit++) {
        await page.goto(shop());
        const isBlocked = 'new Promise((end) => { indexedDB.open("x").onerror = () => end(true); })';
        expect(await page.evaluate(isBlocked)).toBe(true);
        const content = await completeContent(page);
        expect([content.kept, (await completeContent(page)).key]).toEqual([false, content.key]);
        expect(readToken(await tokenOf(page)).isGenuine).toBe(true);
        keys.push(content.key);
      }
      expect(keys[0]).not.toBe(keys[1]);
      expect(seen).toEqual({ ...NOTHING_ELSE, requests: [...NOTHING_ELSE.requests, ...NOTHING_ELSE.requests] });
    });
  });

  const STORES = {
    'is missing': 'delete window.indexedDB; delete Window.prototype.indexedDB',
    'throws on access': 'Object.defineProperty(window, "indexedDB", { get() { throw new Error("no") } })',
    'cannot store keys': 'IDBObjectStore.prototype.put = () => { throw new DOMException("no", "DataCloneError") }',
    hangs: 'IDBFactory.prototype.open = () => ({})',
  };
  test.each(Object.entries(STORES))('has a key for the life of the page if IndexedDB %s', (_, before) =>
    visit(
      async (page) => {
        const content = await completeContent(page);
        expect(content).toMatchObject({ kept: false, key: expect.any(String) });
        expect((await completeContent(page)).key).toBe(content.key);
        expect(readToken(await tokenOf(page)).isGenuine).toBe(true);
      },
      { before },
    ),
  );

  test('replaces a stored key whose private part is lost', () =>
    visit(async (page) => {
      const { key } = await completeContent(page, hasStoredKey);
      await page.evaluate(`new Promise((end) => {
        indexedDB.open('portcullis-device').onsuccess = ({ target: { result } }) => {
          const transaction = result.transaction('keys', 'readwrite');
          transaction.objectStore('keys').put({ privateKey: null, publicKey: new Uint8Array(65) }, 'signing');
          transaction.oncomplete = () => end(result.close());
        };
      })`);
      const reloaded = await page.context().newPage();
      await reloaded.goto(shop());
      const content = await completeContent(reloaded, hasStoredKey);
      expect(content.key).not.toBe(key);
      expect(readToken(await tokenOf(reloaded)).isGenuine).toBe(true);
    }));

  test('has no key and no signature on an insecure page', () =>
    visit(
      async (page) => {
        const content = await completeContent(page);
        expect(content).toMatchObject({ kept: false, hard: { platform: expect.any(String) } });
        expect(content).not.toHaveProperty('key');
        expect(readToken(await tokenOf(page)).isSigned).toBe(false);
      },
      { host: 'shop.test' },
    ));

  test('has no fonts and only a temporary key in a sandbox without an origin', () =>
    visit(
      async (page) => {
        const content = await completeContent(page, ({ missing }) => missing.length <= 1);
        expect(content).toMatchObject({ kept: false, key: expect.any(String), missing: ['fonts'] });
        expect(readToken(await tokenOf(page)).isGenuine).toBe(true);
      },
      { headers: { 'Content-Security-Policy': 'sandbox allow-scripts' } },
    ));

  test('has its own key but the same components in a private window', async () => {
    const content: Awaited<ReturnType<typeof completeContent>>[] = [];
    for (let window = 0; window < 2; window++)
      await visit(async (page) => void content.push(await completeContent(page, hasStoredKey)));
    const [one, other] = content;
    expect(one?.key).not.toBe(other?.key);
    expect({ hard: one?.hard, soft: one?.soft }).toEqual({ hard: other?.hard, soft: other?.soft });
  });

  test('omits invalid values from extensions', () =>
    visit(
      async (page) => {
        const content = await completeContent(page);
        expect([content.languages, 'screen' in content, 'zone' in content]).toEqual([['en'], false, false]);
        expect(readToken(await tokenOf(page)).isGenuine).toBe(true);
      },
      {
        before: `
          Object.defineProperty(Navigator.prototype, 'languages', { get: () => ['', null, 'x'.repeat(99), 'en'] });
          Object.defineProperty(Screen.prototype, 'width', { get: () => undefined });
          Intl.DateTimeFormat.prototype.resolvedOptions = () => ({ timeZone: '' });
        `,
      },
    ));

  test('reports a hidden webdriver flag', () =>
    visit(async (page) => expect((await completeContent(page)).automation).toEqual(['webdriver_hidden', 'headless']), {
      before: 'Object.defineProperty(Navigator.prototype, "webdriver", { get: () => false })',
    }));

  test('reports globals of Selenium, but not similar names', async () => {
    await visit(async (page) => expect((await completeContent(page)).automation).toContain('driver'), {
      before: 'document.$cdc_asdjflasutopfhvcZLmcfl_ = {}',
    });
    await visit(async (page) => expect((await completeContent(page)).automation).not.toContain('driver'), {
      before: 'window.cdc_covid_banner = window.__driver = window.__pw = {}',
    });
  });

  describe('after half a second of the page clock', () => {
    /** Advances the page clock and returns the token, if any. Real time does not count. */
    const after = async (page: Page, ms: number): Promise<string | undefined> => {
      await page.clock.runFor(ms);
      // Released callbacks still have to pass the browser's queues.
      await page.evaluate(
        'new Promise((end) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = end; port2.postMessage(0); })',
      );
      return page.evaluate<string | undefined>('window.token');
    };
    const ask = async (page: Page, before: string): Promise<void> => {
      await page.clock.install();
      await page.addInitScript(before);
      await page.goto(shop());
      await page.clock.pauseAt(Date.now() + 60_000);
      await page.evaluate('void Portcullis.getDeviceToken().then((token) => { window.token = token; })');
    };
    const withPage = async (use: (page: Page) => Promise<void>): Promise<void> => {
      const context = await (await browser()).newContext();
      await use(await context.newPage());
      await context.close();
    };

    test('is unsigned and partial when a component, storage and signing hang', () =>
      withPage(async (page) => {
        await ask(
          page,
          `IDBFactory.prototype.open = () => ({}); SubtleCrypto.prototype.sign = () => ${NEVER}; OfflineAudioContext.prototype.startRendering = () => ${NEVER}`,
        );
        expect(await after(page, 399)).toBeUndefined();
        // Three timers run in sequence: collection, the wait for a key, the wait for a signature.
        for (const ms of [1, 50, 50]) await after(page, ms);
        await expect.poll(() => after(page, 0)).toBeTypeOf('string');
        const { content, isSigned } = readToken((await after(page, 0)) as string);
        expect(isSigned).toBe(false);
        expect(content).not.toHaveProperty('key');
        expect(content).toMatchObject({ kept: false, missing: expect.arrayContaining(['audio']) });
      }));

    test('is signed without the component that hangs', () =>
      withPage(async (page) => {
        await ask(page, `OfflineAudioContext.prototype.startRendering = () => ${NEVER}`);
        await after(page, 400);
        await expect.poll(() => after(page, 0)).toBeTypeOf('string');
        const { content, isGenuine } = readToken((await after(page, 0)) as string);
        expect([isGenuine, content.missing.includes('audio'), 'audio' in content.soft]).toEqual([true, true, false]);
      }));
  });

  test('is `pcd1..`, without an exception, if the page removed standard objects', () =>
    visit(async (page) => expect(await tokenOf(page)).toBe('pcd1..'), {
      before:
        'delete window.crypto; delete Window.prototype.crypto; window.crypto = undefined; window.TextEncoder = undefined',
    }));
});
