import type { AccountModel, ModelGate, Training } from '@portcullis/contract';
import { DEFAULT_POLICY } from '@portcullis/engine';
import type { Caller } from '../access/access.ts';
import { type Keys, makeKeys } from '../access/keys.ts';
import { loadSecretKey, makeSeal } from '../access/seal.ts';
import { makeAudit } from '../audit/audit.ts';
import { openBeside } from '../backend/open.ts';
import { makeChanges } from '../changes/changes.ts';
import type { Config } from '../config.ts';
import { makeIds } from '../ids.ts';
import { makeLog } from '../log.ts';
import { makeMetrics } from '../metrics.ts';
import { BASE_MODEL, loadModelFile } from '../models/load.ts';
import { type Models, makeModels } from '../models/models.ts';
import { storedPolicy } from '../policies/policies.ts';
import { makeProgress } from '../progress.ts';
import { complain, say } from '../say.ts';

export interface TrainAccountFlags {
  account: string;
  maturityDays?: number;
  json?: boolean;
}

/** Whom the audit names for what was done at the command line. */
const COMMAND_LINE = 'command_line';
const SHARES = 100;

const fail = (message: string): void => {
  complain(message);
  process.exitCode = 1;
};

/** The models of a store, as the service has them. A service that runs on it notices by itself what changes here. */
const withModels = async <T>(
  config: Config,
  clock: () => number,
  act: (of: { models: Models; keys: Keys }) => Promise<T>,
): Promise<T> => {
  const base = loadModelFile(config.modelFile ?? BASE_MODEL);
  const policy = { ...DEFAULT_POLICY, model: base.model };
  const { connect, ...backend } = await openBeside(config);
  try {
    const seal = makeSeal(loadSecretKey(config.secretKey, config.dataDir));
    const newId = makeIds(clock);
    const keys = makeKeys({ backend, seal, newId, clock });
    const log = makeLog('error', { write: (line) => void process.stderr.write(line) });
    const { note } = await makeChanges({ backend, clock, log });
    const models = await makeModels({
      backend,
      connect,
      base,
      audit: makeAudit({ backend, seal, clock }),
      note,
      policyOf: (tenant) => storedPolicy(backend, policy, tenant),
      changed: async () => {},
      tenantOf: keys.tenantOf,
      trainDaily: false,
      runsJobs: true,
      newId,
      clock,
      log,
      metrics: makeMetrics(),
    });
    return await act({ models, keys });
  } finally {
    await backend.close();
  }
};

const tellGate = ({ name, wanted, champion, challenger, passed }: ModelGate): void => {
  const number = (value: number | null): string => (value === null ? 'unknown' : value.toPrecision(3));
  const figures = challenger === null ? number(champion) : `${number(challenger)}, the champion's ${number(champion)}`;
  say(`  ${passed ? 'passed' : 'failed'}  ${name.replaceAll('_', ' ')}: ${figures}; wanted ${wanted}`);
};

const tell = (account: string, { message }: Training, model: AccountModel | undefined): void => {
  say(`${account}: ${message}`);
  if (model === undefined) return;
  const { model_version, trained, window, gates } = model;
  say(`  ${model_version}, from ${trained.rows} items with ${trained.frauds} frauds.`);
  if (window !== null) say(`  Measured on ${window.rows} later items with ${window.frauds} frauds:`);
  gates.forEach(tellGate);
};

/** Trains a challenger for an account from its own labels in the store, as the API does, and tells what came of it. */
export const trainAccount = async (config: Config, flags: TrainAccountFlags, clock = Date.now): Promise<void> =>
  withModels(config, clock, async ({ models, keys }) => {
    const { account } = flags;
    const tenant = await keys.findTenant(account, 'production');
    if (tenant === undefined)
      return fail(`There is no account ${account} with a production key. See the keys with: portcullis keys list`);
    const caller: Caller = { keyId: COMMAND_LINE, tenant, account, environment: 'production', role: 'admin' };
    const bar = makeProgress('training', SHARES);
    const done = await models.trainToEnd(caller, flags.maturityDays, (share) => bar.at(share * SHARES));
    if (done === undefined) return fail(`A training of ${account} is under way. Wait until it is done.`);
    bar.end();
    const { training, model } = done;
    if (training.status === 'failed') return fail(`${account}: ${training.message}`);
    // The same model as before may come of it, which was promoted then.
    const isPromoted = (model?.promoted_at ?? '') >= training.started_at;
    if (flags.json === true)
      say(JSON.stringify({ account, promoted: isPromoted, ...training, model: model ?? null }, null, 2));
    else tell(account, training, model);
  });
