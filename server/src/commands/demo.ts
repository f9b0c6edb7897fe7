import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_ACCOUNT } from '../access/keys.ts';
import { makeApp } from '../app.ts';
import type { Config } from '../config.ts';
import { makeAgenda } from '../demo/agenda.ts';
import { makeApi } from '../demo/api.ts';
import { CERTIFICATE } from '../demo/certificate.ts';
import { makeDemoClock } from '../demo/clock.ts';
import { makePeople } from '../demo/people.ts';
import { playOn, playPast } from '../demo/play.ts';
import { startReceiver } from '../demo/receiver.ts';
import { createEndpoint, createList, createRules, startBacktest } from '../demo/setup.ts';
import { makeLog } from '../runtime/log.ts';
import { print, printError } from '../runtime/terminal.ts';
import { simulate } from '../simulate/simulate.ts';
import { endWithError, listen, stopOnSignals } from './serve.ts';

export interface DemoFlags {
  readonly users: number;
  readonly open: boolean;
}

const DAY_MS = 86_400_000;
const PAST_DAYS = 30;
/** The shop goes on for so long while the demo runs. */
const DAYS_AHEAD = 7;
/** A seed with several attacks on the last day, at whatever hour the demo begins. */
const SEED = 124;
/** Cases of the last hours are left open: they are what the visitor works on. */
const LEFT_OPEN_MS = 20 * 3_600_000;
const RATE_LIMIT = 1_000_000;
const MATURITY_DAYS = 7;

/** Settings of a service of its own in a temporary folder. The caller chooses where it listens, and its log. */
const settingsIn = (folder: string, caFile: string): NodeJS.ProcessEnv => {
  const { HOST, PORT, LOG_LEVEL = 'error' } = process.env;
  return {
    DATA_DIR: folder,
    WEBHOOK_CA_FILE: caFile,
    LOG_LEVEL,
    ...(HOST === undefined ? {} : { HOST }),
    ...(PORT === undefined ? {} : { PORT }),
  };
};

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', linux: 'xdg-open' };

/** Opens an address in the visitor's browser. Where there is none, the printed address is enough. */
const openInBrowser = (address: string): void => {
  const opener = OPENERS[process.platform];
  if (opener === undefined || !process.stdout.isTTY) return;
  spawn(opener, [address], { stdio: 'ignore', detached: true })
    .once('error', () => {})
    .unref();
};

const figures = (count: number): string => count.toLocaleString('en');

/** Serves a made-up shop until it is stopped. Everything happens through the API, as it would in a real one. */
export const demo = async (readConfig: (env: NodeJS.ProcessEnv) => Config, flags: DemoFlags): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-demo-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const caFile = join(folder, 'receiver.pem');
  writeFileSync(caFile, CERTIFICATE);
  const config = readConfig(settingsIn(folder, caFile));
  const log = makeLog(config.logLevel);
  const start = Math.floor(Date.now() / DAY_MS - PAST_DAYS) * DAY_MS;
  const clock = makeDemoClock(start);
  const app = await makeApp({ config, log, clock: clock.now, onFatal: endWithError });
  const address = await listen(app, config);
  const receiver = await startReceiver();
  const stopped = new AbortController();
  stopOnSignals(app, log, () => {
    stopped.abort();
    receiver.close();
  });

  const { secret } = await app.keys.create(
    DEFAULT_ACCOUNT,
    'production',
    { role: 'admin', label: 'demo shop', rate_limit_per_minute: RATE_LIMIT },
    'first_start',
  );
  const api = makeApi(address, secret);
  const agenda = makeAgenda();
  const shop = { api, clock, agenda, people: makePeople(api, agenda, SEED), openFrom: Date.now() - LEFT_OPEN_MS };
  await createRules(api);
  await createList(api);
  await createEndpoint(api, receiver.url);
  const items = simulate({ seed: SEED, users: flags.users, days: PAST_DAYS + DAYS_AHEAD, start, world: 'shop' });
  const played = await playPast(shop, items, start);
  clock.goLive();
  await startBacktest(api);
  await api.post('/v1/models/train', { maturity_days: MATURITY_DAYS });

  const link = `${address}${await app.people.firstLink(DEFAULT_ACCOUNT)}`;
  print(
    `\nThe shop is open: ${figures(played.items)} payments and events of ${PAST_DAYS} days, ${figures(played.frauds)} of them fraud.`,
  );
  print('Cases of the last 20 hours wait for you. A model is being trained on the decisions of the analysts.\n');
  print(`  Console  ${link}`);
  print(`  API key  ${secret}  (production, admin)`);
  print(`  API      ${address}/docs\n`);
  print('Stop it with Ctrl C: the temporary folder is deleted then.');
  if (flags.open) openInBrowser(link);
  await playOn(shop, played.next, items, stopped.signal).catch((error: unknown) => {
    if (!stopped.signal.aborted) printError(`The shop sends no more requests: ${(error as Error).message}`);
  });
};
