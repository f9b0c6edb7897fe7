import { Worker } from 'node:worker_threads';
import type { Verdict } from '@portcullis/engine';
import { Unavailable } from '../backend/backend.ts';
import type { ScreeningRow } from '../backend/journal.ts';
import type { Caller } from '../http/caller.ts';
import type { Log } from '../runtime/log.ts';
import { makeRequestThread } from '../runtime/request-thread.ts';

/** The part of a verdict that is recomputed. */
export type Recomputed = Pick<Verdict, 'baseScore' | 'factors'>;

export interface RecomputeRequest {
  /** Account and version of the model. */
  readonly model: string;
  /** Its file, where the thread asked for it. */
  readonly file?: string;
  readonly row: Pick<ScreeningRow, 'type' | 'request' | 'screened_at' | 'verdict' | 'facts'>;
  readonly isExact: boolean;
}
export type RecomputeAnswer = { readonly needsModel: true } | { readonly recomputed: Recomputed | undefined };

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
  return {
    /** Undefined when the model was deleted, cannot be read, or gives no such factors. */
    recompute: async (
      { tenant, account }: Caller,
      { type, request, screened_at, verdict, facts }: ScreeningRow,
      version: string,
      isExact: boolean,
    ): Promise<Recomputed | undefined> => {
      const row = { type, request, screened_at, verdict, facts };
      const question: RecomputeRequest = { model: `${account} ${version}`, row, isExact };
      let answer = await thread.ask(tenant, question);
      if ('needsModel' in answer) {
        const file = await deps.modelFileOf(account, version);
        if (file === undefined) return undefined;
        answer = await thread.ask(tenant, { ...question, file });
      }
      return 'recomputed' in answer ? answer.recomputed : undefined;
    },
    close: thread.close,
  };
};
export type Recompute = ReturnType<typeof makeRecompute>;
