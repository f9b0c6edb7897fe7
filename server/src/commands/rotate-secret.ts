import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { makeAudit } from '../audit/audit.ts';
import { writeToAll } from '../audit/every-log.ts';
import type { Backend } from '../backend/backend.ts';
import { openRecordStore } from '../backend/open.ts';
import { makeNote } from '../changes/changes.ts';
import type { Config } from '../config.ts';
import { openKeysOf, resealStore } from '../installation.ts';
import { print } from '../runtime/terminal.ts';
import { addSecret, hasOtherSecrets, isSecretOf, readyToRetireAt, retireOtherSecrets } from '../secrets/rotate.ts';
import {
  findNextSecretKey,
  installNextSecretKey,
  parseSecretKey,
  SECRET_BYTES,
  writeNextSecretKey,
} from '../secrets/secret-key.ts';
import type { Secrets } from '../secrets/secrets.ts';

export interface RotateFlags {
  retire?: boolean;
  json?: boolean;
}

/** The variable for a new secret key of the operator's choice. Not an option: others can read the arguments. */
const NEW_SECRET = 'NEW_SECRET_KEY';

const chosenSecret = (): Buffer | undefined => {
  const text = process.env[NEW_SECRET] ?? '';
  if (text === '') return undefined;
  const key = parseSecretKey(text);
  if (key === undefined)
    throw new Error(`${NEW_SECRET} must be ${SECRET_BYTES} bytes in base64; create one with: openssl rand -base64 32`);
  return key;
};

/** The audit log of every account records the step. */
const record = (backend: Backend, { seal }: Secrets, step: 'added' | 'retired'): Promise<void> =>
  writeToAll(backend, makeAudit({ backend, seal, clock: Date.now }), {
    action: `secret_key.${step}`,
    target: 'secret_key',
  });

const noteChange = () => makeNote('command_line', Date.now)(0, 'secrets');

/** Adds a secret key that the operator configures. */
const addToSetting = async (backend: Backend, secrets: Secrets, { json }: RotateFlags): Promise<void> => {
  const { secret } = secrets;
  const chosen = chosenSecret();
  const next = chosen ?? randomBytes(SECRET_BYTES);
  if (await addSecret({ backend, secret, note: noteChange() }, next, Date.now()))
    await record(backend, secrets, 'added');
  const shown = next.toString('base64');
  if (json === true) return print(JSON.stringify({ secret_key: shown }));
  print('The store now accepts a second secret key beside the present one.');
  if (chosen === undefined) print(`It is shown only once:\n\n  ${shown}`);
  print('\n1. Set SECRET_KEY to the new one and restart every process, one after the other.');
  print('2. Then run, with the new SECRET_KEY: portcullis keys rotate-secret --retire');
};

/**
 * Replaces the file secret.key. The new key is on disk before the store accepts it, and the store accepts it before it
 * replaces the old one: after a crash at any moment, the file opens the store.
 */
const replaceFile = async (
  backend: Backend,
  secrets: Secrets,
  dataDir: string,
  { json }: RotateFlags,
): Promise<void> => {
  const { secret } = secrets;
  const left = findNextSecretKey(dataDir);
  if (left === undefined || !(await isSecretOf(backend, left))) {
    const next = chosenSecret() ?? randomBytes(SECRET_BYTES);
    writeNextSecretKey(dataDir, next);
    await addSecret({ backend, secret, note: noteChange() }, next, Date.now());
    await record(backend, secrets, 'added');
  }
  installNextSecretKey(dataDir);
  if (json === true) return print(JSON.stringify({ secret_key_file: secret.source }));
  print(`${secret.source} holds a new secret key. The store still accepts the old one too.`);
  print('\n1. Back up the file. The service follows by itself, without a restart.');
  print('2. Then run: portcullis keys rotate-secret --retire');
};

const retire = async (config: Config, backend: Backend, secrets: Secrets, { json }: RotateFlags): Promise<void> => {
  const { secret, seal, reload } = secrets;
  const left = config.secretKey === undefined ? findNextSecretKey(config.dataDir) : undefined;
  if (left !== undefined && (await isSecretOf(backend, left)))
    throw new Error('A rotation was interrupted. Run portcullis keys rotate-secret again first, without --retire.');
  const tell = (line: string): void => {
    if (json !== true) print(line);
  };
  if (!(await hasOtherSecrets(backend, secret))) {
    tell('No other secret key opens this store: there is nothing to retire.');
    if (json === true) print(JSON.stringify({ signing_secrets: 0, responses: 0 }));
    return;
  }
  const waitMs = (await readyToRetireAt(backend)) - Date.now();
  if (waitMs > 0) {
    tell(`Waiting ${Math.ceil(waitMs / 1000)} s until every process uses the new data key.`);
    await setTimeout(waitMs);
  }
  const { signingSecrets, responses } = await resealStore(backend, config, seal, Date.now());
  await retireOtherSecrets({ backend, secret, note: noteChange() });
  await reload(backend);
  await record(backend, secrets, 'retired');
  if (json === true) return print(JSON.stringify({ signing_secrets: signingSecrets, responses }));
  print(`Encrypted ${signingSecrets} signing secrets and ${responses} stored responses with the new data key.`);
  print(`${secret.source} is now the only secret key of this store. Earlier backups still need the old one.`);
};

/** Replaces the secret key of the installation in two steps, so that processes can be restarted in between. */
export const rotateSecret = async (config: Config, flags: RotateFlags): Promise<void> => {
  const { connect: _, ...backend } = await openRecordStore(config);
  try {
    const secrets = await openKeysOf(backend, config);
    if (flags.retire === true) await retire(config, backend, secrets, flags);
    else if (config.secretKey !== undefined) await addToSetting(backend, secrets, flags);
    else await replaceFile(backend, secrets, config.dataDir, flags);
  } finally {
    await backend.close();
  }
};
