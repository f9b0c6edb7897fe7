import { UnknownOutcome } from '../backend.ts';
import type { PendingScreening } from './entities.ts';
import type { Keys } from './keys.ts';
import type { RetryQueue } from './retry-queue.ts';
import { cancel, settle } from './settle.ts';
import type { Watermarks } from './watermarks.ts';

/** Follows the writes of counted screenings and labels, and settles or cancels their records when they have ended. */
const ASK_AGAIN_MS = 200;

export interface OutcomesOptions {
  readonly queue: RetryQueue;
  readonly keys: Keys;
  readonly watermarks: Watermarks;
  /** Whether a screening or label is stored. */
  readonly isStored: (seq: number) => Promise<boolean>;
  /** A write got no answer: until its outcome is known, the counts of this process are in doubt. */
  readonly onUnknown: () => void;
  readonly onError: (message: string) => void;
}

interface OutcomesState extends OutcomesOptions {
  pending: number;
  unknown: number;
}

/** Only a unit that was refused as a whole has `written: false`. Any other outcome means that it was stored. */
const isWritten = (outcome: unknown): boolean =>
  !(typeof outcome === 'object' && outcome !== null && (outcome as { written?: unknown }).written === false);

/** Finds out whether a screening or label is stored whose write got no answer, however long the store is away. */
const findOutcome = async (state: OutcomesState, { ended }: UnknownOutcome, seq: number): Promise<boolean> => {
  state.unknown++;
  state.onUnknown();
  try {
    await ended;
    for (;;) {
      const isStored = await state.isStored(seq).catch(() => undefined);
      if (isStored !== undefined) return isStored;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS).unref());
    }
  } finally {
    state.unknown--;
  }
};

const follow = (state: OutcomesState, screening: PendingScreening, activity: number): void => {
  const { queue, keys, watermarks, onError } = state;
  const { counted } = screening;
  const end = (isStored: boolean): void => {
    const { verdict } = counted;
    if (isStored && verdict !== undefined) settle(queue, keys, screening, verdict, activity, watermarks.writer());
    else cancel(queue, screening);
  };
  const fail = (error: unknown): void => onError(`a stored screening could not be settled in Redis: ${String(error)}`);
  state.pending++;
  counted.onEnd = (error) => {
    if (error instanceof UnknownOutcome) {
      findOutcome(state, error, screening.seq)
        .then(end)
        .catch(fail)
        .finally(() => state.pending--);
      return;
    }
    state.pending--;
    try {
      end(error === undefined);
    } catch (problem) {
      fail(problem);
    }
  };
};

const writeThenCount = async <T>(
  state: OutcomesState,
  seq: number,
  write: () => Promise<T>,
  count: () => Promise<unknown>,
): Promise<T> => {
  try {
    const outcome = await write();
    if (isWritten(outcome)) await count();
    return outcome;
  } catch (error) {
    if (error instanceof UnknownOutcome)
      findOutcome(state, error, seq).then(
        (isStored) => isStored && count(),
        () => {},
      );
    throw error;
  }
};

export const makeWriteOutcomes = (options: OutcomesOptions) => {
  const state: OutcomesState = { ...options, pending: 0, unknown: 0 };
  return {
    /** Settles or cancels a screening once its write has ended. */
    follow: (screening: PendingScreening, activity: number): void => follow(state, screening, activity),
    /** Counts an entry once it is stored, even where the store did not confirm that. */
    writeThenCount: <T>(seq: number, write: () => Promise<T>, count: () => Promise<unknown>): Promise<T> =>
      writeThenCount(state, seq, write, count),
    /** Screenings whose write has not ended. */
    pending: (): number => state.pending,
    /** Screenings and labels that may or may not be stored. */
    unknown: (): number => state.unknown,
  };
};
export type WriteOutcomes = ReturnType<typeof makeWriteOutcomes>;
