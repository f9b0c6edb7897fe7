import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { CHROMIUM } from '../../scripts/find-chromium.ts';
import { afterEachFile, takeAll } from '../../server/test/after-file.ts';

/** Browsers take what they can get of a machine, and get little of a busy one. */
export const PATIENCE_MS = 120_000;

const LAUNCH = {
  ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
  // Tests run in containers, as root, where its own sandbox cannot be set up and shared memory is small. A shop by its name is this machine.
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP shop.test 127.0.0.1'],
};

let started: Promise<Browser> | undefined;
/** One browser for a file of tests, started by whoever first asks. A context of it is a private window: it forgets everything when it is closed. */
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

/** The folder of somebody's profile. */
export const makeProfile = (): string => {
  const profile = mkdtempSync(join(tmpdir(), 'portcullis-profile-'));
  profiles.add(profile);
  return profile;
};
/** What somebody sets in their browser, as it keeps it. */
export const setPreferences = (profile: string, preferences: object): void => {
  mkdirSync(join(profile, 'Default'), { recursive: true });
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences));
};

/** A browser on a profile, for as long as `use` takes; what is kept is there the next time. */
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
