import { ENVIRONMENTS } from '@portcullis/contract';
import { DEFAULT_ACCOUNT } from '../access/keys.ts';
import { type App, makeApp } from '../app.ts';
import { type Config, isLoopback, STRONG_KEY } from '../config.ts';
import { type Log, makeLog } from '../log.ts';
import { say } from '../say.ts';

const STOP_WITHIN_MS = 9_500;

/** Keys for whoever starts an empty store; their secrets are shown now and stored nowhere. */
const showFirstKeys = async (app: App): Promise<void> => {
  say('First start: the account "default" was made. These keys are shown only now:\n');
  for (const environment of ENVIRONMENTS) {
    const { secret } = await app.keys.create(DEFAULT_ACCOUNT, environment, { role: 'admin', label: 'first start' });
    say(`  ${environment.padEnd(10)}  ${secret}`);
  }
  say('');
};

const provideKeys = async (app: App, config: Config, log: Log): Promise<void> => {
  await app.keys.provide(config.apiKeys);
  const weak = config.apiKeys.filter((key) => !STRONG_KEY.test(key)).length;
  if (weak > 0)
    log.warn({ weak }, 'API_KEYS holds keys with fewer than 32 random letters and digits: use them for trials only');
  if ((await app.keys.list()).length === 0) await showFirstKeys(app);
};

const stopOn = (app: App, log: Log): void => {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    // A connection that never ends must not keep the process: what was answered is on disk already.
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    await app.close();
    log.info('stopped');
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

export const serve = async (config: Config): Promise<void> => {
  const log = makeLog(config.logLevel);
  const app = await makeApp({ config, log });
  const isWorker = config.role === 'worker';
  // In turn: processes that start on an empty store at once must not make first keys each. Those who answer callers say which keys there are.
  if (!isWorker) await app.backend.inTurn('keys at the start', () => provideKeys(app, config, log));
  const address = await app.listen();
  stopOn(app, log);
  say(
    `Portcullis serves at ${address}  (${isWorker ? 'a worker: health and metrics' : `documentation: ${address}/docs`})`,
  );
  if (!isLoopback(config.host)) log.info('not bound to this machine alone: put TLS in front of it');
};
