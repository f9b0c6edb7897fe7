import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { afterAll } from 'vitest';
import { CHROMIUM } from '../../scripts/find-chromium.ts';

/** Browsers take what they can get of a machine, and get little of a busy one. */
export const PATIENCE_MS = 120_000;

const LAUNCH = {
  ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
  // Tests run in containers, as root, where its own sandbox cannot be set up and shared memory is small. A shop by its name is this machine.
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP shop.test 127.0.0.1'],
};

/** One browser for a file of tests, started by whoever first asks. A context of it is a private window: it forgets everything when it is closed. */
export const makeBrowser = (): (() => Promise<Browser>) => {
  let started: Promise<Browser> | undefined;
  afterAll(async () => (await started)?.close());
  return () => {
    started ??= chromium.launch(LAUNCH);
    return started;
  };
};

const folders: string[] = [];
export const removeProfiles = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};

/** The folder of somebody's profile. */
export const makeProfile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-profile-'));
  folders.push(folder);
  return folder;
};
/** What somebody sets in their browser, as it keeps it. */
export const setPreferences = (profile: string, preferences: object): void => {
  mkdirSync(join(profile, 'Default'), { recursive: true });
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences));
};

/** A browser on a profile, for as long as `use` takes; what is kept is there the next time. */
export const withProfile = async <T>(
  folder: string,
  options: BrowserContextOptions,
  use: (context: BrowserContext) => Promise<T>,
): Promise<T> => {
  const context = await chromium.launchPersistentContext(folder, { ...LAUNCH, ...options });
  try {
    return await use(context);
  } finally {
    await context.close();
  }
};
