import { isIP } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { type AddressRules, refuseUrl } from './address-policy.ts';
import { type Lookup, makeLookup } from './dns.ts';
import { makeResolver } from './safe-resolver.ts';
import { sentenceOfError, sentenceOfStatus } from './send-errors.ts';

export interface Exchange {
  /** Also set when the response began but did not end well. */
  readonly httpStatus: number | null;
  readonly tookMs: number;
  /** Null if delivered, otherwise one short sentence for people. */
  readonly error: string | null;
}

export interface SenderOptions {
  readonly rules: AddressRules;
  /** PEM text of additional CAs. */
  readonly ca: string | undefined;
  /** Time limit of the whole exchange: resolving, connecting, request and response. */
  readonly limitMs?: number;
  readonly lookup?: Lookup;
}

interface SenderState {
  readonly rules: AddressRules;
  readonly limitMs: number;
  readonly stop: AbortController;
  readonly connect: buildConnector.connector;
  readonly pools: Map<string, Pool>;
  /** The pools above, plus expired ones that still finish their exchanges. */
  readonly livePools: Set<Pool>;
  /** Cache of allowed URLs by their text: checking a URL takes longer than signing a message. */
  readonly allowedUrls: Map<string, URL>;
}

const LIMIT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Lifetime of a pool and its connections, so that a change of DNS is followed and no origin is kept forever. */
const POOL_LIFE_MS = 60_000;
const MAX_ALLOWED_URLS = 10_000;
/** How long one of several addresses of a name may take before the next one is tried too. */
const ADDRESS_ATTEMPT_MS = 1_000;

const ABORTED = new Error('the exchange is already settled');

type ConnectorOptions = Pick<SenderState, 'rules' | 'limitMs' | 'stop'> & { ca: string | undefined; lookup: Lookup };

const makeConnector = ({ rules, limitMs, stop, ca, lookup }: ConnectorOptions): buildConnector.connector => {
  const connectTls = buildConnector({
    allowH2: false,
    timeout: limitMs,
    lookup: makeResolver(rules, lookup),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    // Created once: reading the list of CAs takes as long as hundreds of exchanges.
    secureContext: createSecureContext(ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }),
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED would change the default.
    rejectUnauthorized: true,
    signal: stop.signal,
  });
  return (target, done) => {
    const isName = isIP(target.hostname) === 0;
    // TLS takes names without their trailing dot, and no addresses.
    connectTls({ ...target, ...(isName && { servername: target.hostname.replace(/\.$/, '') }) }, done);
  };
};

const poolOf = ({ pools, livePools, connect }: SenderState, origin: string): Pool => {
  const known = pools.get(origin);
  if (known !== undefined) return known;
  const pool = new Pool(origin, {
    connect,
    // Unlimited: endpoints of many accounts may share an origin, and hanging ones must not delay the others.
    connections: null,
    pipelining: 1,
    allowH2: false,
    keepAliveMaxTimeout: POOL_LIFE_MS,
    // The time limit of the exchange covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  pools.set(origin, pool);
  livePools.add(pool);
  setTimeout(() => {
    pools.delete(origin);
    pool.close(() => livePools.delete(pool));
  }, POOL_LIFE_MS).unref();
  return pool;
};

const makeExchange = (state: SenderState, url: URL, headers: Record<string, string>, body: string): Promise<Exchange> =>
  new Promise((resolve) => {
    const { limitMs } = state;
    const startedAt = performance.now();
    let controller: Dispatcher.DispatchController | undefined;
    let httpStatus: number | null = null;
    let bytes = 0;
    let isSettled = false;

    const settle = (error: string | null): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      resolve({ httpStatus, tookMs: Math.round(performance.now() - startedAt), error });
    };
    const settleByStatus = (): void => settle(sentenceOfStatus(httpStatus ?? 0));

    const timer = setTimeout(() => {
      settle(`Timed out: no complete response within ${limitMs / 1000} s.`);
      controller?.abort(ABORTED);
    }, limitMs);

    poolOf(state, url.origin).dispatch(
      { method: 'POST', path: url.pathname + url.search, headers, body },
      {
        onRequestStart: (started) => {
          controller = started;
          // The connection came too late: the attempt was already reported as failed, so nothing may be sent.
          if (isSettled) started.abort(ABORTED);
        },
        onResponseStart: (_controller, status) => {
          // A status below 200 only announces the response.
          if (status >= 200) httpStatus = status;
        },
        onResponseData: (response, chunk) => {
          bytes += chunk.length;
          if (bytes <= MAX_RESPONSE_BYTES) return;
          settleByStatus();
          response.abort(ABORTED);
        },
        onResponseEnd: settleByStatus,
        onResponseError: (_controller, error) => settle(sentenceOfError(error, url.hostname)),
      },
    );
  });

/** The URL, or why it must not be called: the allowed networks may have changed since it was registered. */
const checkUrl = ({ rules, allowedUrls }: SenderState, text: string): URL | string => {
  const known = allowedUrls.get(text);
  if (known !== undefined) return known;
  const refusal = refuseUrl(text, rules);
  if (refusal !== undefined) return refusal;
  if (allowedUrls.size === MAX_ALLOWED_URLS) allowedUrls.clear();
  const url = new URL(text);
  allowedUrls.set(text, url);
  return url;
};

/** Calls endpoints over HTTPS: only allowed addresses, no redirects, no proxies. */
export const makeSender = ({ rules, ca, limitMs = LIMIT_MS, ...options }: SenderOptions) => {
  const stop = new AbortController();
  const lookup = options.lookup ?? makeLookup(stop.signal);
  const connect = makeConnector({ rules, limitMs, stop, ca, lookup });
  const pools = new Map<string, Pool>();
  const livePools = new Set<Pool>();
  const state: SenderState = { rules, limitMs, stop, connect, pools, livePools, allowedUrls: new Map() };

  return {
    /** Never rejects. */
    send: async (text: string, headers: Record<string, string>, body: string): Promise<Exchange> => {
      const url = stop.signal.aborted ? 'was not called: the sender was stopped' : checkUrl(state, text);
      if (typeof url === 'string') return { httpStatus: null, tookMs: 0, error: `The URL ${url}.` };
      return makeExchange(state, url, headers, body);
    },
    /** Closes at once: exchanges in flight end with an error. */
    close: async (): Promise<void> => {
      const closing = Array.from(livePools, (pool) => pool.destroy());
      pools.clear();
      // Connections that are still being made belong to no pool yet.
      stop.abort();
      await Promise.all(closing);
    },
  };
};
export type Sender = ReturnType<typeof makeSender>;
