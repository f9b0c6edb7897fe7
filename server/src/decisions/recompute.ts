import { Worker } from 'node:worker_threads';
import type { Policy, Verdict } from '@portcullis/engine';
import { Unavailable } from '../backend/backend.ts';
import type { ScreeningRow } from '../backend/journal.ts';
import type { Caller } from '../http/caller.ts';
import type { RuleRow } from '../rules/rules.ts';
import type { Log } from '../runtime/log.ts';
import { makeRequestThread } from '../runtime/request-thread.ts';

/** The part of a verdict that is recomputed. */
export type Recomputed = Pick<Verdict, 'baseScore' | 'factors'>;

/** A policy to decide by, in parts that can be passed to a thread. */
export interface ReplayBy {
  readonly policy: Policy;
  readonly rules: readonly RuleRow[];
}

export interface RecomputeRequest {
  /** Account and version of the model. */
  readonly model: string;
  /** Its file, where the thread asked for it. */
  readonly file?: string;
  readonly row: Pick<ScreeningRow, 'type' | 'request' | 'screened_at' | 'verdict' | 'facts'>;
  /** Whether exact factors are wanted, or a decision by another policy or model. */
  readonly work: { readonly isExact: boolean } | { readonly replayBy: ReplayBy };
}
export type RecomputeAnswer =
  | { readonly needsModel: true }
  | { readonly recomputed: Recomputed | undefined }
  | { readonly replayed: Verdict };

/** Recomputes factors in a thread of its own, so that no screening waits for them. */
export const makeRecompute = (deps: {
  /** The file of a model that scored for the account; undefined when it was deleted. */
  readonly modelFileOf: (account: string, version: string) => Promise<string | undefined>;
  readonly log: Log;
}) => {
  const thread = makeRequestThread<RecomputeRequest, RecomputeAnswer>({
    start: () => new Worker(new URL('./recompute-thread.ts', import.meta.url)),
    refusal: (message, cause) => new Unavailable(`recomputing factors failed: ${message}`, { cause }),
    onEnded: (error) => deps.log.error({ err: error }, 'recomputing factors failed'),
  });
  /** Undefined when the model was deleted. */
  const ask = async (
    { tenant, account }: Caller,
    { type, request, screened_at, verdict, facts }: ScreeningRow,
    version: string,
    work: RecomputeRequest['work'],
  ): Promise<RecomputeAnswer | undefined> => {
    const row = { type, request, screened_at, verdict, facts };
    const question: RecomputeRequest = { model: `${account} ${version}`, row, work };
    const answer = await thread.ask(tenant, question);
    if (!('needsModel' in answer)) return answer;
    const file = await deps.modelFileOf(account, version);
    return file === undefined ? undefined : thread.ask(tenant, { ...question, file });
  };
  return {
    /** Undefined when the model was deleted, cannot be read, or gives no such factors. */
    recompute: async (
      caller: Caller,
      row: ScreeningRow,
      version: string,
      isExact: boolean,
    ): Promise<Recomputed | undefined> => {
      const answer = await ask(caller, row, version, { isExact });
      return answer !== undefined && 'recomputed' in answer ? answer.recomputed : undefined;
    },
    /** Decides the screening again. Undefined when the model was deleted or cannot be read. */
    replay: async (
      caller: Caller,
      row: ScreeningRow,
      version: string,
      replayBy: ReplayBy,
    ): Promise<Verdict | undefined> => {
      const answer = await ask(caller, row, version, { replayBy });
      return answer !== undefined && 'replayed' in answer ? answer.replayed : undefined;
    },
    close: thread.close,
  };
};
export type Recompute = ReturnType<typeof makeRecompute>;
