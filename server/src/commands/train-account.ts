import type { AccountModel, ModelGate, Training } from '@portcullis/contract';
import { ROLE_PERMISSIONS } from '@portcullis/contract/values';
import { DEFAULT_POLICY } from '@portcullis/engine';
import { type Keys, makeKeys } from '../access/keys.ts';
import { actor, makeAudit } from '../audit/audit.ts';
import { openRecordStore } from '../backend/open.ts';
import { makeChanges } from '../changes/changes.ts';
import type { Config } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import { openKeysOf } from '../installation.ts';
import { BASE_MODEL, loadModelFile } from '../models/model-file.ts';
import { type Models, makeModels } from '../models/models.ts';
import { storedPolicy } from '../policies/policies.ts';
import { makeIds } from '../runtime/ids.ts';
import { makeLog } from '../runtime/log.ts';
import { makeMetrics } from '../runtime/metrics.ts';
import { makeProgress } from '../runtime/progress-bar.ts';
import { print } from '../runtime/terminal.ts';
import { failRun } from './fail.ts';

export interface TrainAccountFlags {
  account: string;
  maturityDays?: number;
  json?: boolean;
}

const SHARES = 100;

/** Opens the models of a store as the service does. A running service notices the changes by itself. */
const withModels = async <T>(
  config: Config,
  clock: () => number,
  act: (of: { models: Models; keys: Keys }) => Promise<T>,
): Promise<T> => {
  const base = loadModelFile(config.modelFile ?? BASE_MODEL);
  const policy = { ...DEFAULT_POLICY, model: base.model };
  const { connect, ...backend } = await openRecordStore(config);
  try {
    const { seal } = await openKeysOf(backend, config, clock);
    const newId = makeIds(clock);
    const audit = makeAudit({ backend, seal, clock });
    const log = makeLog('error', { write: (line) => void process.stderr.write(line) });
    const { note } = await makeChanges({ backend, clock, log });
    const keys = makeKeys({ backend, audit, seal, note, newId, clock });
    const models = await makeModels({
      backend,
      connect,
      base,
      audit,
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

const printGate = ({ name, wanted, champion, challenger, passed }: ModelGate): void => {
  const number = (value: number | null): string => (value === null ? 'unknown' : value.toPrecision(3));
  const figures = challenger === null ? number(champion) : `${number(challenger)}, champion ${number(champion)}`;
  print(`  ${passed ? 'passed' : 'failed'}  ${name.replaceAll('_', ' ')}: ${figures}; required: ${wanted}`);
};

const printTraining = (account: string, { message }: Training, model: AccountModel | undefined): void => {
  print(`${account}: ${message}`);
  if (model === undefined) return;
  const { model_version, trained, window, gates } = model;
  print(`  ${model_version}, trained on ${trained.rows} items with ${trained.frauds} frauds.`);
  if (window !== null) print(`  Measured on ${window.rows} later items with ${window.frauds} frauds:`);
  gates.forEach(printGate);
};

/** Trains a challenger from the labels of an account in the store, as the API does, and prints the outcome. */
export const trainAccount = async (config: Config, flags: TrainAccountFlags, clock = Date.now): Promise<void> =>
  withModels(config, clock, async ({ models, keys }) => {
    const { account } = flags;
    const tenant = await keys.findTenant(account, 'production');
    if (tenant === undefined)
      return failRun(`Account ${account} has no production key. List the keys with: portcullis keys list`);
    const permissions = ROLE_PERMISSIONS.admin;
    const caller: Caller = { ...actor('command_line', tenant), permissions, account, environment: 'production' };
    const bar = makeProgress('training', SHARES);
    const done = await models.trainToEnd(caller, flags.maturityDays, (share) => bar.at(share * SHARES));
    if (done === undefined) return failRun(`A training of ${account} is in progress. Wait until it is done.`);
    bar.end();
    const { training, model } = done;
    if (training.status === 'failed') return failRun(`${account}: ${training.message}`);
    // The training may produce a model that was promoted earlier.
    const isPromoted = (model?.promoted_at ?? '') >= training.started_at;
    if (flags.json === true)
      print(JSON.stringify({ account, promoted: isPromoted, ...training, model: model ?? null }, null, 2));
    else printTraining(account, training, model);
  });
