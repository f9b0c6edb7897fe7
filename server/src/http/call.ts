import type { BodyOf, OperationId, ParamsOf, QueryOf, TagOf } from '@portcullis/contract';
import type { Statement } from '../backend/backend.ts';
import type { BodyCheck } from '../validation/body.ts';
import type { Caller } from './caller.ts';
import type { StreamedFile } from './send.ts';

/** A response, and the statements that store it for replay under the request's idempotency key. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly statements: readonly Statement[];
  /** Sent instead of the body, piece by piece. */
  readonly stream?: StreamedFile;
}

/** The part of an admitted request that is the same for every operation. */
export interface AnyCall {
  readonly caller: Caller;
  /** Remarks on the request, returned as `warnings` in the response. */
  readonly warnings: string[];
  /** The position in a stream of events that the caller resumes after, as sent. */
  readonly lastEventId: string | undefined;
  /** Authenticates the caller again, for a response that takes long. False if the request would be refused now. */
  readonly isStillAllowed: () => Promise<boolean>;
  /** Makes the tags of the tenant's masked identifiers. */
  readonly tagOf: TagOf;
  /** Makes the response from a resource or its JSON. Call it after the last warning was added. */
  readonly answer: (resource: object | string) => Answer;
  /** Makes the response from a file. */
  readonly stream: (file: StreamedFile) => Answer;
}

/** A call to any operation that has these path parameters. */
export interface CallWith<Param extends string> extends AnyCall {
  readonly params: Readonly<Record<Param, string>>;
}

/** An admitted, validated request to one operation. Its types come from the table of operations. */
export interface Call<Id extends OperationId> extends AnyCall {
  readonly params: ParamsOf<Id>;
  readonly query: QueryOf<Id>;
  readonly body: BodyOf<Id>;
}

export type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<Answer>;

/** A call that ends with `resolve` or `reject`, one of them once. */
export interface PendingCall<Id extends OperationId> {
  readonly call: Call<Id>;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}
/** Handles the calls that came in one turn of the event loop together. It must not throw. */
export type BatchHandler<Id extends OperationId> = (calls: readonly PendingCall<Id>[]) => void;

/** Throws an ApiError if the caller must not get a stored response, which another caller may have caused. */
export type ReplayCheck = (caller: Caller, json: string) => void | Promise<void>;

/** Registers the batch handler of an operation. */
export type BatchRoute = <Id extends OperationId>(id: Id, handler: BatchHandler<Id>) => void;

/** Registers the handler of an operation. `checkBody` finds errors that the schema cannot express. */
export type Route = <Id extends OperationId>(
  id: Id,
  handler: Handler<Id>,
  checkBody?: BodyCheck,
  checkReplay?: ReplayCheck,
) => void;
