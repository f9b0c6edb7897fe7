import { readFileSync } from 'node:fs';
import { type Environment, writeTimestamp } from '@portcullis/contract/values';
import { ownerOf } from '../access/access.ts';
import { type Anchors, makeAnchors } from '../audit/anchors.ts';
import { type Audit, makeAudit, positionOf } from '../audit/audit.ts';
import { type ChainCheck, toAuditCheck } from '../audit/check.ts';
import { acceptAll, checkAll } from '../audit/every-log.ts';
import type { Backend } from '../backend/backend.ts';
import { openAnchorPlace, openRecordStore } from '../backend/open.ts';
import type { Config } from '../config.ts';
import { openKeysOf } from '../installation.ts';
import { print } from '../runtime/terminal.ts';
import { failRun, failUsage } from './fail.ts';

interface Opened {
  readonly backend: Backend;
  readonly audit: Audit;
  readonly anchors: Anchors;
}

/** Opens the audit logs of the store for one command. The service may run. */
const withAudit = async (config: Config, act: (of: Opened) => Promise<void>): Promise<void> => {
  const backend = await openRecordStore(config);
  try {
    const { seal } = await openKeysOf(backend, config);
    const place = await openAnchorPlace(config);
    try {
      const clock = Date.now;
      const anchors = makeAnchors({ backend, place, seal, clock });
      await act({ backend, anchors, audit: makeAudit({ backend, seal, clock, anchors }) });
    } finally {
      place.close();
    }
  } finally {
    await backend.close();
  }
};

/** The account and environment of a tenant, for a person. */
const nameOf = async (backend: Backend, tenant: number): Promise<string> => {
  const owner = await ownerOf(backend, tenant);
  return owner === undefined ? `tenant ${tenant} (its account was deleted)` : `${owner.account}, ${owner.environment}`;
};

interface ExportedAnchor {
  readonly tenant: number;
  readonly account: string;
  readonly environment: Environment;
  readonly anchor: string;
}

/** Prints the anchors of all logs, to be stored outside the installation. */
export const exportAnchors = (config: Config): Promise<void> =>
  withAudit(config, async (opened) => {
    const anchors: ExportedAnchor[] = [];
    for await (const [tenant, result] of checkAll(opened)) {
      const { anchor, message } = toAuditCheck(result);
      const owner = await ownerOf(opened.backend, tenant);
      if (message !== null)
        return failRun(`${await nameOf(opened.backend, tenant)}: ${message} No anchor was printed.`);
      if (owner !== undefined && anchor !== null) anchors.push({ tenant, ...owner, anchor });
    }
    print(JSON.stringify({ exported_at: writeTimestamp(Date.now()), anchors }, null, 2));
  });

const readAnchors = (path: string): ExportedAnchor[] | undefined => {
  try {
    const { anchors } = JSON.parse(readFileSync(path, 'utf8')) as { anchors: ExportedAnchor[] };
    return anchors.every(({ tenant, anchor }) => Number.isInteger(tenant) && /^\d+:[0-9a-f]{64}$/.test(anchor))
      ? anchors
      : undefined;
  } catch {
    return undefined;
  }
};

/** Verifies all logs, and compares them with exported anchors. Fails if one is not intact. */
export const checkAudit = async (config: Config, options: { anchors?: string; json?: boolean }): Promise<void> => {
  const exported = options.anchors === undefined ? [] : readAnchors(options.anchors);
  if (exported === undefined)
    return failUsage(`${options.anchors} is not a file that "portcullis audit anchor" printed.`);
  await withAudit(config, async (opened) => {
    const { backend, audit } = opened;
    const results = new Map<number, ChainCheck>();
    for await (const [tenant, result] of checkAll(opened)) results.set(tenant, result);
    for (const { tenant, anchor } of exported) results.set(tenant, await audit.checkTenant(tenant, positionOf(anchor)));
    const logs = [];
    for (const [tenant, result] of results)
      logs.push({ name: await nameOf(backend, tenant), ...(await ownerOf(backend, tenant)), ...toAuditCheck(result) });
    if (options.json) print(JSON.stringify(logs.map(({ name: _, ...log }) => log)));
    else for (const { name, entries, message } of logs) print(`${name}: ${message ?? `intact, ${entries} entries`}`);
    const broken = logs.filter(({ intact }) => !intact).length;
    if (broken > 0) failRun(`${broken} of ${logs.length} audit logs are not intact.`);
  });
};

export const acceptAudit = (config: Config, { reason }: { reason: string }): Promise<void> =>
  withAudit(config, async (opened) => {
    const accepted = await acceptAll(opened, reason);
    for (const { tenant, problem } of accepted)
      print(`${await nameOf(opened.backend, tenant)}: accepted (${problem.finding})`);
    print(accepted.length === 0 ? 'All audit logs are intact. The anchor is up to date.' : 'The anchor is up to date.');
  });
