import { type AnyHandler, type BoundOperation, makeCall, type Started, startRequest } from './bound-operation.ts';
import type { Answer } from './call.ts';
import type { ApiReply, ApiRequest } from './exchange.ts';
import { send } from './send.ts';

/** A request that waits for the end of this turn of the event loop. */
export interface WaitingRequest {
  readonly request: ApiRequest;
  readonly reply: ApiReply;
  /** Answers with an error. */
  readonly fail: (error: unknown) => void;
  /** To be called once, after the answer. */
  readonly end: () => void;
  /** Set when the body is parsed. */
  started: Started | undefined;
  /** Answered. A second answer is ignored. */
  isEnded: boolean;
}

/** A validated call to any operation, and how it ends. */
interface AnyPendingCall {
  readonly call: Parameters<AnyHandler>[0];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}
/** A batch handler of any operation. */
export type HandleBatch = (calls: readonly AnyPendingCall[]) => void;

/** Never throws: an error would end the answers to the rest of the batch. */
const refuse = (waiting: WaitingRequest, error: unknown): void => {
  if (waiting.isEnded) return;
  waiting.isEnded = true;
  try {
    waiting.fail(error);
  } catch {
    waiting.reply.raw.destroy();
  }
  waiting.end();
};

/** Never throws, for the same reason. */
const answer = (waiting: WaitingRequest, result: Answer): void => {
  if (waiting.isEnded) return;
  try {
    send(waiting.reply, result);
  } catch (error) {
    refuse(waiting, error);
    return;
  }
  waiting.isEnded = true;
  waiting.end();
};

const toCall = (bound: BoundOperation, waiting: WaitingRequest): AnyPendingCall => ({
  call: makeCall(bound, waiting.started as Started),
  resolve: (result) => answer(waiting, result),
  reject: (error) => refuse(waiting, error),
});

/**
 * Parses all bodies, then validates all, then handles the valid ones together: the code of each stage stays in the
 * processor's cache, which is worth more than anything within a stage.
 */
export const startBatch = (bound: BoundOperation, requests: readonly WaitingRequest[], handle: HandleBatch): void => {
  for (const waiting of requests) {
    try {
      waiting.started = startRequest(waiting.request);
    } catch (error) {
      refuse(waiting, error);
    }
  }
  const calls: AnyPendingCall[] = [];
  for (const waiting of requests) {
    if (waiting.started === undefined) continue;
    try {
      calls.push(toCall(bound, waiting));
    } catch (error) {
      refuse(waiting, error);
    }
  }
  if (calls.length > 0) handle(calls);
};
