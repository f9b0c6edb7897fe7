import { isIP } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { type AddressRules, refuseUrl } from './address.ts';
import { type Lookup, makeLookup } from './lookup.ts';
import { makeResolver } from './resolve.ts';
import { sentenceOfError, sentenceOfStatus } from './send-errors.ts';

export interface Exchange {
  /** Also told when the answer began but did not end well. */
  readonly httpStatus: number | null;
  readonly tookMs: number;
  /** Null: delivered. Else one short sentence for people. */
  readonly error: string | null;
}

export interface SenderOptions {
  readonly rules: AddressRules;
  /** PEM text of further CAs. */
  readonly ca: string | undefined;
  /** For the whole exchange: resolving, connecting, request and answer. */
  readonly limitMs?: number;
  readonly lookup?: Lookup;
}

export type Sender = ReturnType<typeof makeSender>;

const LIMIT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** A pool and its connections live this long and no longer, so a name that moved is followed, and no origin is kept for ever. */
const POOL_LIFE_MS = 60_000;
const MOST_KNOWN_URLS = 10_000;
/** How long one of several addresses of a name may take before the next one is tried too. */
const ADDRESS_ATTEMPT_MS = 1_000;

const NO_LONGER_WANTED = new Error('no longer wanted');

/** Calls endpoints over HTTPS: only addresses that the rules allow, no redirects, no proxies. */
export const makeSender = ({ rules, ca, limitMs = LIMIT_MS, ...options }: SenderOptions) => {
  const stop = new AbortController();
  const lookup = options.lookup ?? makeLookup(stop.signal);
  const pools = new Map<string, Pool>();
  // Beside those in the map, also those that only finish what they have begun.
  const living = new Set<Pool>();

  /** By how it is written, the URL that was found to be allowed: checking one takes longer than signing a message. */
  const allowed = new Map<string, URL>();

  const connectTls = buildConnector({
    allowH2: false,
    timeout: limitMs,
    lookup: makeResolver(rules, lookup),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    // Made once: reading the list of CAs takes as long as hundreds of exchanges.
    secureContext: createSecureContext(ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }),
    // Said out loud, because NODE_TLS_REJECT_UNAUTHORIZED would change the default.
    rejectUnauthorized: true,
    signal: stop.signal,
  });

  const connect: buildConnector.connector = (target, done) => {
    const named = isIP(target.hostname) === 0;
    // Certificates and TLS know names without the dot that may end them, and know addresses not at all.
    connectTls({ ...target, ...(named && { servername: target.hostname.replace(/\.$/, '') }) }, done);
  };

  const poolOf = (origin: string): Pool => {
    const kept = pools.get(origin);
    if (kept !== undefined) return kept;
    const pool = new Pool(origin, {
      connect,
      // As many as are asked for: the endpoints of many accounts may be at one origin, and some that hang must not keep the rest waiting.
      connections: null,
      pipelining: 1,
      allowH2: false,
      keepAliveMaxTimeout: POOL_LIFE_MS,
      // The limit of the exchange stands for both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    pools.set(origin, pool);
    living.add(pool);
    setTimeout(() => {
      pools.delete(origin);
      pool.close(() => living.delete(pool));
    }, POOL_LIFE_MS).unref();
    return pool;
  };

  const exchange = (url: URL, headers: Record<string, string>, body: string): Promise<Exchange> =>
    new Promise((resolve) => {
      const began = performance.now();
      let controller: Dispatcher.DispatchController | undefined;
      let httpStatus: number | null = null;
      let bytes = 0;
      let settled = false;

      const settle = (error: string | null): void => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        resolve({ httpStatus, tookMs: Math.round(performance.now() - began), error });
      };
      const settleByStatus = (): void => settle(sentenceOfStatus(httpStatus ?? 0));

      const timer = setTimeout(() => {
        settle(`No whole answer within ${limitMs / 1000} s.`);
        controller?.abort(NO_LONGER_WANTED);
      }, limitMs);

      poolOf(url.origin).dispatch(
        { method: 'POST', path: url.pathname + url.search, headers, body },
        {
          onRequestStart: (started) => {
            controller = started;
            // The connection came too late; nothing must be sent for an attempt that was told to have failed.
            if (settled) started.abort(NO_LONGER_WANTED);
          },
          onResponseStart: (_controller, status) => {
            // What is below 200 only announces the answer.
            if (status >= 200) httpStatus = status;
          },
          onResponseData: (answering, chunk) => {
            bytes += chunk.length;
            if (bytes <= MAX_ANSWER_BYTES) return;
            settleByStatus();
            answering.abort(NO_LONGER_WANTED);
          },
          onResponseEnd: settleByStatus,
          onResponseError: (_controller, error) => settle(sentenceOfError(error, url.hostname)),
        },
      );
    });

  /** The URL, or why it must not be called: it may have been registered when other networks were open. */
  const targetOf = (url: string): URL | string => {
    const known = allowed.get(url);
    if (known !== undefined) return known;
    const refusal = refuseUrl(url, rules);
    if (refusal !== undefined) return refusal;
    if (allowed.size === MOST_KNOWN_URLS) allowed.clear();
    const target = new URL(url);
    allowed.set(url, target);
    return target;
  };

  /** Never rejects. */
  const send = async (url: string, headers: Record<string, string>, body: string): Promise<Exchange> => {
    const target = stop.signal.aborted ? 'is not called: the sender was stopped' : targetOf(url);
    if (typeof target === 'string') return { httpStatus: null, tookMs: 0, error: `The URL ${target}.` };
    return exchange(target, headers, body);
  };

  /** At once: exchanges under way end with an error. */
  const close = async (): Promise<void> => {
    const closing = Array.from(living, (pool) => pool.destroy());
    pools.clear();
    // Connections that are only being made belong to no pool yet.
    stop.abort();
    await Promise.all(closing);
  };

  return { send, close };
};
