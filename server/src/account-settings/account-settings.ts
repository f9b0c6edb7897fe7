import type { AccountSettings } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import type { Audit } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import type { Answer, Call } from '../http/route.ts';
import { putSettings, readSettings, type SettingsRow } from './store.ts';

const toSettings = (row: SettingsRow): AccountSettings => ({
  name: row.name,
  time_zone: row.time_zone,
  review_target_minutes: row.review_target_minutes,
  note_required_on_reject: row.note_required === 1,
  updated_at: row.updated_at === null ? null : writeTimestamp(row.updated_at),
});

/** Settings that an account makes itself. */
export const makeAccountSettings = ({
  backend,
  audit,
  clock,
}: {
  readonly backend: Backend;
  readonly audit: Pick<Audit, 'write'>;
  readonly clock: () => number;
}) => ({
  of: (tenant: number): Promise<SettingsRow> => readSettings(backend, tenant),
  get: async (call: Call<'getSettings'>): Promise<Answer> =>
    call.answer(toSettings(await readSettings(backend, call.caller.tenant))),
  change: (call: Call<'changeSettings'>): Promise<Answer> => {
    const { tenant } = call.caller;
    const { name, time_zone, review_target_minutes: target, note_required_on_reject: isRequired } = call.body;
    return backend.withLock(`settings ${tenant}`, async () => {
      const before = await readSettings(backend, tenant);
      const after: SettingsRow = {
        name: name === undefined ? before.name : name || null,
        time_zone: time_zone ?? before.time_zone,
        review_target_minutes: target === undefined ? before.review_target_minutes : target || null,
        note_required: isRequired === undefined ? before.note_required : isRequired ? 1 : 0,
        updated_at: clock(),
      };
      const answer = call.answer(toSettings(after));
      const change = {
        action: 'settings.changed',
        target: 'settings',
        before: toSettings(before),
        after: toSettings(after),
      };
      await audit.write(call.caller, change, [putSettings(tenant, after), ...answer.statements]);
      return answer;
    });
  },
});
export type AccountSettingsOf = ReturnType<typeof makeAccountSettings>;
