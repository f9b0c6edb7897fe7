import { ENVIRONMENTS } from '@portcullis/contract/values';
import { DEFAULT_ACCOUNT } from '../access/keys.ts';
import { type App, makeApp } from '../app.ts';
import { type Config, isLoopback, STRONG_KEY } from '../config.ts';
import { type Log, makeLog } from '../runtime/log.ts';
import { print } from '../runtime/terminal.ts';

const STOP_WITHIN_MS = 9_500;
const END_AFTER_MS = 200;

const provideConfiguredKeys = async (app: App, config: Config, log: Log): Promise<void> => {
  await app.keys.provide(config.apiKeys);
  const weak = config.apiKeys.filter((key) => !STRONG_KEY.test(key)).length;
  if (weak > 0)
    log.warn({ weak }, 'API_KEYS holds keys with fewer than 32 random letters and digits: use them for trials only');
};

/** Creates the first keys of an empty store. Their secrets are shown once and stored nowhere. */
const showFirstKeys = async (app: App, address: string): Promise<void> => {
  if ((await app.keys.list()).length > 0) return;
  print('First start: created the account "default". These keys are shown only once:\n');
  for (const environment of ENVIRONMENTS) {
    const { secret } = await app.keys.create(
      DEFAULT_ACCOUNT,
      environment,
      { role: 'admin', label: 'first start' },
      'first_start',
    );
    print(`  ${environment.padEnd(10)}  ${secret}`);
  }
  print('');
  // Not into a log: anyone who reads it within a day becomes administrator. There, `portcullis people link` makes one.
  const link = process.stdout.isTTY ? await app.people.firstLink(DEFAULT_ACCOUNT) : undefined;
  if (link !== undefined) print(`Console: ${address}${link}\n`);
};

/** Names the setting to change when the address cannot be used. */
const listenError = (error: unknown, { host, port }: Config): unknown => {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new Error(
        `Port ${port} of ${host} is in use. Set PORT to another port, or stop the process that uses it.`,
      );
    case 'EACCES':
      return new Error(`Port ${port} needs permissions that this process lacks. Set PORT to 1024 or higher.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`${host} is not an address of this machine. Set HOST to one, such as 127.0.0.1 or 0.0.0.0.`);
    default:
      return error;
  }
};

export const listen = async (app: App, config: Config): Promise<string> => {
  try {
    return await app.listen();
  } catch (error) {
    await app.close();
    throw listenError(error, config);
  }
};

/** `onStopped` runs after the service has stopped. */
export const stopOnSignals = (app: App, log: Log, onStopped = (): void => {}): void => {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    // A connection that never ends must not keep the process alive. Every response sent is on disk already.
    setTimeout(() => {
      log.error({ after_ms: STOP_WITHIN_MS }, 'did not stop in time; ending the process');
      process.exit(1);
    }, STOP_WITHIN_MS).unref();
    await app.close();
    onStopped();
    log.info('stopped');
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

/** A moment later, so that the requests in progress get their 503 and the log is written. */
export const endWithError = (): void => {
  setTimeout(() => process.exit(1), END_AFTER_MS);
};

export const serve = async (config: Config): Promise<void> => {
  const log = makeLog(config.logLevel);
  const app = await makeApp({ config, log, onFatal: endWithError });
  const isWorker = config.role === 'worker';
  // One process at a time: several that start on an empty store must not each create first keys. Workers need no keys.
  const inTurn = (task: () => Promise<void>) => app.backend.withLock('keys at the start', task);
  if (!isWorker) await inTurn(() => provideConfiguredKeys(app, config, log));
  // First keys only after the port is bound: a start that fails must not use up the one time they are shown.
  const address = await listen(app, config);
  stopOnSignals(app, log);
  if (!isWorker) await inTurn(() => showFirstKeys(app, address));
  print(
    `Portcullis serves at ${address}  (${isWorker ? 'a worker: health and metrics' : `documentation: ${address}/docs`})`,
  );
  if (!isLoopback(config.host)) log.info('reachable from other machines: put TLS in front of it');
};
