import type { Case, CaseResolution } from '@portcullis/client';
import { useQueryClient } from '@tanstack/react-query';
import { PortcullisError } from '../api/client.ts';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { makeStore } from '../api/store.ts';
import { plural } from '../parts/format.ts';
import { notify } from '../shell/notices.ts';
import { queueAction } from '../shell/undo-queue.ts';

/** Cases that are resolved on the screen, though the service may not know it yet. */
export const gone = makeStore<ReadonlySet<string>>(new Set());
const hide = (ids: readonly string[]): void => gone.set(gone.get().union(new Set(ids)));
const show = (ids: readonly string[]): void => gone.set(gone.get().difference(new Set(ids)));

const MAX_AT_ONCE = 100;
export type Outcome = CaseResolution['status'];
export const REASONS = [
  ['stolen_card', 'Stolen card'],
  ['takeover', 'Account takeover'],
  ['card_testing', 'Card testing'],
  ['first_party', 'Friendly fraud'],
  ['mule', 'Mule'],
  ['other', 'Other'],
] as const satisfies readonly (readonly [CaseResolution['reason'], string])[];

const WORDS: Readonly<Record<Outcome, string>> = { approved: 'Approved', rejected: 'Rejected' };

/** Resolves cases: at once on the screen, and after five seconds at the service, which cannot take it back silently. */
export const useResolve = () => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const send = async (cases: readonly Case[], body: CaseResolution): Promise<void> => {
    const ids = cases.map(({ case_id }) => case_id);
    try {
      if (ids.length === 1) await client.cases.resolve(ids[0] as string, body);
      else
        for (let at = 0; at < ids.length; at += MAX_AT_ONCE) {
          const { results } = await client.cases.resolveMany({ ...body, case_ids: ids.slice(at, at + MAX_AT_ONCE) });
          const failed = results.filter(({ error }) => error !== null);
          if (failed.length > 0) notify(`${plural(failed.length, 'case')} not resolved: ${failed[0]?.error?.message}`);
        }
    } catch (error) {
      show(ids);
      const isLate = error instanceof PortcullisError && error.is('case_not_open', 'case_expired');
      notify(
        isLate
          ? `Not saved, because someone else was first: ${error.message}`
          : `Not saved: ${(error as Error).message}`,
      );
    }
    for (const key of ['case', 'cases', 'decision', 'stats'])
      await queries.invalidateQueries({
        queryKey: [environment, key],
        refetchType: key === 'cases' ? 'none' : 'active',
      });
    await queries.invalidateQueries({ queryKey: [environment, 'cases', 'open-count'] });
  };
  /** `undo` is called if the person takes it back. */
  return (cases: readonly Case[], body: CaseResolution, undo?: () => void): void => {
    const ids = cases.map(({ case_id }) => case_id);
    hide(ids);
    const what = cases.length === 1 ? (cases[0] as Case).user_id : plural(cases.length, 'case');
    queueAction(
      `${WORDS[body.status]}: ${what}`,
      () => void send(cases, body),
      () => {
        show(ids);
        undo?.();
      },
    );
  };
};
