import { type Call, type CallOptions, sleep } from './call.ts';

export interface ListenOptions extends CallOptions {
  /** The `event_id` of the last event that your program has handled. Default: listen to new events. */
  readonly lastEventId?: string | undefined;
}

/** A connection without a heartbeat for this long is broken. The service sends one every 15 seconds. */
const SILENT_MS = 45_000;
const RECONNECT_MS = 1000;
/** Longer than for other calls: a service that restarts must not end the iteration. */
const PATIENCE = { deadlineMs: 60_000, maxRetries: 30 };

interface Message {
  /** Undefined if the message does not move the position. */
  readonly id: string | undefined;
  /** Empty for a heartbeat. */
  readonly data: string;
}

const messageOf = (block: string): Message => {
  const valuesOf = (name: string): string[] =>
    block
      .split('\n')
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ''));
  return { id: valuesOf('id').at(-1), data: valuesOf('data').join('\n') };
};

/** Reads the next piece; undefined at the end, after a failure, and after a long silence. */
const nextPiece = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> => {
  const cancel = (): void => void reader.cancel().catch(() => {});
  const timer = setTimeout(cancel, SILENT_MS);
  signal?.addEventListener('abort', cancel);
  try {
    return (await reader.read()).value;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
};

async function* messagesIn(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Message, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const piece = await nextPiece(reader, signal);
      signal?.throwIfAborted();
      if (piece === undefined) return;
      const blocks = (rest + decoder.decode(piece, { stream: true })).split('\n\n');
      rest = blocks.pop() as string;
      yield* blocks.map(messageOf);
    }
  } finally {
    // Also when the caller stops iterating: the connection must not stay open.
    await reader.cancel().catch(() => {});
  }
}

/**
 * Iterates over events as they happen, until the caller stops or aborts. A connection that breaks is opened again after the last
 * event. Rejects if the service refuses it, or cannot be reached for the deadline.
 */
export async function* listen<Event>(
  call: Call,
  path: string,
  query: object | undefined,
  { lastEventId, ...options }: ListenOptions = {},
): AsyncGenerator<Event, void, undefined> {
  for (let last = lastEventId; ; await sleep(RECONNECT_MS, options.signal)) {
    const headers: Record<string, string> = last === undefined ? {} : { 'Last-Event-ID': last };
    const parts = { query, headers, isStream: true };
    const body = await call<ReadableStream<Uint8Array>>('GET', path, parts, { ...PATIENCE, ...options });
    for await (const { id, data } of messagesIn(body, options.signal)) {
      if (data !== '') yield JSON.parse(data) as Event;
      last = id ?? last;
    }
  }
}
