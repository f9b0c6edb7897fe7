import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { browser, makeProfile, PATIENCE_MS, setPreferences, withProfile } from './chromium.ts';
import { isKept, NOTHING_ELSE, openShop, settled, tokenOf, watch } from './page.ts';
import { readToken } from './verify.ts';

const STRICT = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Permissions-Policy': 'ch-ua-model=(), ch-ua-arch=(), ch-ua-platform-version=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
const NEVER = 'new Promise(() => {})';

describe.skipIf(CHROMIUM === undefined)('under hardship', { timeout: PATIENCE_MS }, () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  beforeAll(async () => {
    shop = await openShop();
  }, PATIENCE_MS);

  /** A fresh private window on the shop, whose page runs `before` first. */
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

  test('a strict Content-Security-Policy changes nothing', () =>
    visit(
      async (page) => {
        expect(await settled(page, isKept)).toMatchObject({ missing: [], kept: true });
        expect(readToken(await tokenOf(page)).isGenuine).toBe(true);
      },
      { headers: STRICT },
    ));

  test('with blocked cookies and site data the key lasts as long as the page', async () => {
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
        const said = await settled(page);
        expect([said.kept, (await settled(page)).key]).toEqual([false, said.key]);
        expect(readToken(await tokenOf(page)).isGenuine).toBe(true);
        keys.push(said.key);
      }
      expect(keys[0]).not.toBe(keys[1]);
      expect(seen).toEqual({ ...NOTHING_ELSE, requests: [...NOTHING_ELSE.requests, ...NOTHING_ELSE.requests] });
    });
  });

  const STORES = {
    'is not there': 'delete window.indexedDB; delete Window.prototype.indexedDB',
    'throws when it is named': 'Object.defineProperty(window, "indexedDB", { get() { throw new Error("no") } })',
    'cannot store keys': 'IDBObjectStore.prototype.put = () => { throw new DOMException("no", "DataCloneError") }',
    hangs: 'IDBFactory.prototype.open = () => ({})',
  };
  test.each(Object.entries(STORES))('where IndexedDB %s the key lasts as long as the page', (_, before) =>
    visit(
      async (page) => {
        const said = await settled(page);
        expect(said).toMatchObject({ kept: false, key: expect.any(String) });
        expect((await settled(page)).key).toBe(said.key);
        expect(readToken(await tokenOf(page)).isGenuine).toBe(true);
      },
      { before },
    ),
  );

  test('a key that comes back without its secret is replaced by one that works', () =>
    visit(async (page) => {
      const { key } = await settled(page, isKept);
      await page.evaluate(`new Promise((end) => {
        indexedDB.open('portcullis-device').onsuccess = ({ target: { result } }) => {
          const transaction = result.transaction('keys', 'readwrite');
          transaction.objectStore('keys').put({ privateKey: null, publicKey: new Uint8Array(65) }, 'signing');
          transaction.oncomplete = () => end(result.close());
        };
      })`);
      const reloaded = await page.context().newPage();
      await reloaded.goto(shop());
      const said = await settled(reloaded, isKept);
      expect(said.key).not.toBe(key);
      expect(readToken(await tokenOf(reloaded)).isGenuine).toBe(true);
    }));

  test('without a secure connection there is no key and no signature', () =>
    visit(
      async (page) => {
        const said = await settled(page);
        expect(said).toMatchObject({ kept: false, hard: { platform: expect.any(String) } });
        expect(said).not.toHaveProperty('key');
        expect(readToken(await tokenOf(page)).isSigned).toBe(false);
      },
      { host: 'shop.test' },
    ));

  test('in a sandbox without an origin there are no fonts, and no key that lasts', () =>
    visit(
      async (page) => {
        const said = await settled(page, ({ missing }) => missing.length <= 1);
        expect(said).toMatchObject({ kept: false, key: expect.any(String), missing: ['fonts'] });
        expect(readToken(await tokenOf(page)).isGenuine).toBe(true);
      },
      { headers: { 'Content-Security-Policy': 'sandbox allow-scripts' } },
    ));

  test('a private window has a key of its own, and the components of its browser', async () => {
    const said: Awaited<ReturnType<typeof settled>>[] = [];
    for (let window = 0; window < 2; window++) await visit(async (page) => void said.push(await settled(page, isKept)));
    const [one, other] = said;
    expect(one?.key).not.toBe(other?.key);
    expect({ hard: one?.hard, soft: one?.soft }).toEqual({ hard: other?.hard, soft: other?.soft });
  });

  test('what extensions make up is left out where it is no answer', () =>
    visit(
      async (page) => {
        const said = await settled(page);
        expect([said.languages, 'screen' in said, 'zone' in said]).toEqual([['en'], false, false]);
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

  test('whoever hides that the browser is driven is told apart by how', () =>
    visit(async (page) => expect((await settled(page)).automation).toEqual(['webdriver_hidden', 'headless']), {
      before: 'Object.defineProperty(Navigator.prototype, "webdriver", { get: () => false })',
    }));

  test('what Selenium leaves in a page is seen, and a global that only looks like it is not', async () => {
    await visit(async (page) => expect((await settled(page)).automation).toContain('driver'), {
      before: 'document.$cdc_asdjflasutopfhvcZLmcfl_ = {}',
    });
    await visit(async (page) => expect((await settled(page)).automation).not.toContain('driver'), {
      before: 'window.cdc_covid_banner = window.__driver = window.__pw = {}',
    });
  });

  describe('after half a second by the clock of the page', () => {
    /** What the promise came to when the clock is moved by hand; none of the time that this takes here is in it. */
    const after = async (page: Page, ms: number): Promise<string | undefined> => {
      await page.clock.runFor(ms);
      // What the clock let go still has to get through the browser's own queues.
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

    test('there is an unsigned token with the rest when components, storage and keys all hang', () =>
      withPage(async (page) => {
        await ask(
          page,
          `IDBFactory.prototype.open = () => ({}); SubtleCrypto.prototype.sign = () => ${NEVER}; OfflineAudioContext.prototype.startRendering = () => ${NEVER}`,
        );
        expect(await after(page, 399)).toBeUndefined();
        // Gathering ends, then the wait for a key, then that for a signature: timers that are set one after the other.
        for (const ms of [1, 50, 50]) await after(page, ms);
        await expect.poll(() => after(page, 0)).toBeTypeOf('string');
        const { said, isSigned } = readToken((await after(page, 0)) as string);
        expect(isSigned).toBe(false);
        expect(said).not.toHaveProperty('key');
        expect(said).toMatchObject({ kept: false, missing: expect.arrayContaining(['audio']) });
      }));

    test('there is a signed token without the component that hangs', () =>
      withPage(async (page) => {
        await ask(page, `OfflineAudioContext.prototype.startRendering = () => ${NEVER}`);
        await after(page, 400);
        await expect.poll(() => after(page, 0)).toBeTypeOf('string');
        const { said, isGenuine } = readToken((await after(page, 0)) as string);
        expect([isGenuine, said.missing.includes('audio'), 'audio' in said.soft]).toEqual([true, true, false]);
      }));
  });

  test('a page that took everything away still gets an answer, and no exception', () =>
    visit(async (page) => expect(await tokenOf(page)).toBe('pcd1..'), {
      before:
        'delete window.crypto; delete Window.prototype.crypto; window.crypto = undefined; window.TextEncoder = undefined',
    }));
});
