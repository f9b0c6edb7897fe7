import { hasTenants } from './access/access.ts';
import { matchesSettings, upgradeKeyHashes } from './access/key-hashes.ts';
import { resignAnchor } from './audit/anchor.ts';
import { resignHeads, signedHeads } from './audit/audit.ts';
import type { Backend } from './backend/backend.ts';
import { openAnchorPlace, withRecords } from './backend/open.ts';
import type { Config } from './config.ts';
import { opensResponses, resealResponses } from './http/idempotency.ts';
import { resealTotp } from './people/second-factor.ts';
import type { Log } from './runtime/log.ts';
import type { Seal } from './secrets/seal.ts';
import { openSecrets, type Secrets } from './secrets/secrets.ts';
import { opensSigningSecrets, resealSigningSecrets } from './webhooks/webhooks.ts';

/** Opens the keys of the installation in an open store. Refuses a secret key that is missing or wrong. */
export const openKeysOf = (backend: Backend, config: Config, clock = Date.now): Promise<Secrets> =>
  openSecrets({
    backend,
    config,
    clock,
    hasRecords: hasTenants,
    evidence: [matchesSettings(config.apiKeys), opensSigningSecrets, opensResponses, signedHeads],
  });

/** Loads the keys again after a rotation of the secret key. */
export const reloadKeys = async (of: { secrets: Secrets; backend: Backend; log: Log }): Promise<void> => {
  if (await of.secrets.reload(of.backend)) of.log.info('keys of the installation loaded again');
  else of.log.error('the secret key of this process was retired: restart the process with the new one');
};

/**
 * Seals, hashes and signs everything in the store with the current version of the data key. Running processes must use
 * it already.
 */
export const resealStore = async (backend: Backend, config: Config, seal: Seal, now: number) => {
  const signingSecrets = await resealSigningSecrets(backend, seal);
  const responses = await resealResponses(backend, seal);
  await resealTotp(backend, seal);
  await upgradeKeyHashes(backend, seal);
  await resignHeads(backend, seal);
  const place = await openAnchorPlace(config);
  await resignAnchor(place, seal, now).finally(place.close);
  return { signingSecrets, responses };
};

/** Opens the keys before a store is opened: the histories cannot be read without their key. */
export const openInstallation = (config: Config, clock = Date.now): Promise<Secrets> =>
  withRecords(config, (backend) => openKeysOf(backend, config, clock));
