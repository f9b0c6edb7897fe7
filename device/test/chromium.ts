import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { afterEachFile, takeAll } from '../../server/test/fixtures/after-file.ts';

/** Browsers are slow on a busy machine. */
export const PATIENCE_MS = 120_000;

const LAUNCH = {
  ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
  // Tests run in containers as root, without Chromium's sandbox and with little shared memory. `shop.test` resolves to this machine.
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP shop.test 127.0.0.1'],
};

let started: Promise<Browser> | undefined;
/** One browser per test file, started on first use. A context is a private window: it loses its data when closed. */
export const browser = (): Promise<Browser> => {
  started ??= chromium.launch(LAUNCH);
  return started;
};
afterEachFile(async () => {
  const ended = started;
  started = undefined;
  await (await ended)?.close();
});

const profiles = new Set<string>();
afterEachFile(async () => {
  for (const profile of takeAll(profiles)) rmSync(profile, { recursive: true, force: true });
});

/** A new folder for a browser profile. */
export const makeProfile = (): string => {
  const profile = mkdtempSync(join(tmpdir(), 'portcullis-profile-'));
  profiles.add(profile);
  return profile;
};
/** Writes the preferences file of a profile. */
export const setPreferences = (profile: string, preferences: object): void => {
  mkdirSync(join(profile, 'Default'), { recursive: true });
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences));
};

/** Runs `use` with a browser on a profile. The profile keeps its data for the next time. */
export const withProfile = async <T>(
  profile: string,
  { args = [], ...options }: BrowserContextOptions & { args?: readonly string[] },
  use: (context: BrowserContext) => Promise<T>,
): Promise<T> => {
  const context = await chromium.launchPersistentContext(profile, {
    ...LAUNCH,
    ...options,
    args: [...LAUNCH.args, ...args],
  });
  try {
    return await use(context);
  } finally {
    await context.close();
  }
};
