import { tenantOf } from '../server/src/access/store.ts';
import { openRecordStore } from '../server/src/backend/open.ts';
import { insertCaseRow } from '../server/src/cases/store.ts';
import { makeIds } from '../server/src/runtime/ids.ts';

const UNIT = 500;
const DAY_MS = 86_400_000;

/** Stores cases of the sandbox tenant, one a millisecond. Written directly, because screening as many takes minutes. */
export const storeCases = async (directory: string, count: number, status: 'open' | 'approved'): Promise<void> => {
  const backend = await openRecordStore({ dataDir: directory, shared: undefined });
  const tenant = await tenantOf(backend, 'default', 'sandbox');
  let at = Date.now() - count;
  const newId = makeIds(() => at);
  const isOpen = status === 'open';
  const writes: Promise<unknown>[] = [];
  for (let stored = 0; stored < count; stored += UNIT)
    writes.push(
      backend.write(
        Array.from({ length: UNIT }, () => {
          at++;
          return insertCaseRow(tenant, {
            id: newId(),
            subject_type: 'transaction',
            user_id: `user_${at % 5000}`,
            status,
            risk_score: isOpen ? 50 + (at % 30) : 60,
            signals: '["new_device","velocity_spike"]',
            created_at: at,
            expires_at: isOpen ? at + 7 * DAY_MS : at,
            resolved_at: isOpen ? null : at,
            reason: null,
            analyst_id: isOpen ? null : 'analyst_7',
            notes: null,
            summary: isOpen ? 'New device; 6th payment by this user in 24 hours' : null,
            amount: 60,
            currency: 'EUR',
            usd: 65,
            country: isOpen ? 'NO' : null,
            event_type: null,
          });
        }),
      ),
    );
  await Promise.all(writes);
  await backend.close();
};
