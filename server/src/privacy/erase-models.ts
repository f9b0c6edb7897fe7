import { requestsOf } from '../backend/journal-pages.ts';
import { eraseMetadataValues, type MetadataValue } from '../models/erase.ts';
import type { ErasureDeps } from './erasure-deps.ts';

/** Those of the values that no screening of the account has any more. */
const unused = async ({ backend, tenantsOf }: ErasureDeps, account: string, values: readonly MetadataValue[]) => {
  let left = [...values];
  for (const tenant of await tenantsOf(account))
    for await (const page of requestsOf(backend, tenant)) {
      const used = page.map((request) => (JSON.parse(request) as { metadata?: Record<string, string> }).metadata ?? {});
      left = left.filter(({ field, value }) => !used.some((metadata) => metadata[field] === value));
      if (left.length === 0) return left;
    }
  return left;
};

/** Takes metadata values that only the person had out of the models of the account. */
export const eraseFromModels = async (
  deps: ErasureDeps,
  tenant: number,
  values: readonly MetadataValue[],
): Promise<void> => {
  if (values.length === 0) return;
  const { backend, note, models } = deps;
  const account = await deps.accountOf(tenant);
  if (!(await eraseMetadataValues(backend, account, await unused(deps, account, values)))) return;
  await backend.write(note(tenant, 'model', { account }));
  await models.reload(account);
};
