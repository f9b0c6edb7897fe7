import type { Backend } from '../backend/backend.ts';
import type { Anchors } from './anchors.ts';
import { type Audit, actor, type Change } from './audit.ts';
import type { ChainCheck, Finding } from './check.ts';
import { auditedTenants } from './store.ts';

interface AllDeps {
  readonly backend: Backend;
  readonly audit: Pick<Audit, 'accept' | 'checkTenant'>;
  readonly anchors: Anchors;
}

/** Every tenant that has entries, a head or an anchor. */
const everyTenant = async ({ backend, anchors }: AllDeps): Promise<number[]> => {
  await anchors.read();
  return [...new Set([...(await auditedTenants(backend)), ...anchors.tenants()])].sort((a, b) => a - b);
};

/** Verifies the log of every tenant. */
export async function* checkAll(deps: AllDeps): AsyncGenerator<readonly [tenant: number, result: ChainCheck]> {
  for (const tenant of await everyTenant(deps)) yield [tenant, await deps.audit.checkTenant(tenant)];
}

/** Writes an entry into every log, for a change that concerns the whole installation. */
export const writeToAll = async (
  backend: Backend,
  audit: Pick<Audit, 'write'>,
  change: Pick<Change, 'action' | 'target'>,
): Promise<void> => {
  for (const tenant of await auditedTenants(backend))
    await audit.write(actor('command_line', tenant), { ...change, before: null, after: null }, []);
};

/**
 * Accepts every log as it is, and anchors it again: after a restore from a backup, or the loss of the anchor. Each log
 * that was not intact gets an entry with the finding and the reason, so the acceptance itself can be audited.
 */
export const acceptAll = async (
  deps: AllDeps,
  reason: string,
): Promise<readonly { readonly tenant: number; readonly problem: Finding }[]> => {
  const { audit, anchors } = deps;
  const accepted: { tenant: number; problem: Finding }[] = [];
  const tenants = await everyTenant(deps);
  for (const tenant of tenants) {
    const problem = await audit.accept(tenant, reason);
    if (problem !== undefined) accepted.push({ tenant, problem });
  }
  const heads = new Map((await anchors.read()).heads);
  for (const tenant of tenants) {
    const { last } = await audit.checkTenant(tenant);
    if (last.number > 0) heads.set(tenant, last);
  }
  await anchors.write(heads);
  return accepted;
};
