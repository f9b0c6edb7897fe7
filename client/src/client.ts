import { makeCall, type RetryOptions } from './call.ts';
import type { Fetch } from './exchange.ts';
import { API_VERSION, makeResources } from './resources.ts';

export interface ClientOptions extends RetryOptions {
  /** Base URL of the service, such as `https://fraud.example.com`, without `/v1`. */
  readonly url: string;
  /** `sk_test_…` for the sandbox, `sk_live_…` for production. */
  readonly apiKey: string;
  /** Sends the requests. Default: the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined;
}

/** Every operation of the service, by resource. */
export interface PortcullisClient extends ReturnType<typeof makeResources> {}

// Errors quote neither value: a key, or a password in a URL, could end up in a log.
const readUrl = (url: string): string => {
  const { protocol, username, password, search, hash } = URL.canParse(url) ? new URL(url) : ({} as Partial<URL>);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('url must be the base URL of the service, such as https://fraud.example.com.');
  if (username || password || search || hash)
    throw new TypeError('url must have no user, password, query or fragment.');
  return url.replace(/\/+$/, '');
};
const readApiKey = (apiKey: string): string => {
  if (typeof apiKey === 'string' && /^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new TypeError('apiKey must be an API key, without spaces or line breaks. Is the variable it comes from set?');
};

/** Makes a client for the account and environment of the key. A client holds no connection open; a program needs only one. */
export const createClient = (options: ClientOptions): PortcullisClient => {
  const { url, apiKey, deadlineMs, maxRetries, fetch: customFetch } = options;
  const headers = { Authorization: `Bearer ${readApiKey(apiKey)}`, 'X-Api-Version': API_VERSION };
  // The global `fetch` is looked up per request, since some platforms replace it, and called without a receiver, as some require.
  const send: Fetch = customFetch ?? ((to, init) => fetch(to, init));
  return makeResources(makeCall({ url: readUrl(url), headers, fetch: send, retries: { deadlineMs, maxRetries } }));
};
