import { makeCall, type Patience } from './call.ts';
import type { Fetch } from './exchange.ts';
import { API_VERSION, makeResources } from './resources.ts';

export interface ClientOptions extends Patience {
  /** Where the service is, such as `https://fraud.example.com`; without `/v1`. */
  readonly url: string;
  /** `sk_test_…` for the sandbox, `sk_live_…` for production. */
  readonly apiKey: string;
  /** Makes the requests. The `fetch` of the platform unless told. */
  readonly fetch?: Fetch | undefined;
}

/** Every operation of the service, by resource. */
export interface PortcullisClient extends ReturnType<typeof makeResources> {}

// Of neither the value is quoted: a key, or a password in a URL, would come to stand in a log.
const readUrl = (url: string): string => {
  const { protocol, username, password, search, hash } = URL.canParse(url) ? new URL(url) : ({} as Partial<URL>);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('url must be where the service is, such as https://fraud.example.com.');
  if (username || password || search || hash)
    throw new TypeError('url must have no user, password, query or fragment.');
  return url.replace(/\/+$/, '');
};
const readApiKey = (apiKey: string): string => {
  if (typeof apiKey === 'string' && /^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new TypeError('apiKey must be an API key, without spaces or line breaks. Is the variable it comes from set?');
};

/** A client for one account and environment: those of the key. It keeps nothing open, and one is enough for a program. */
export const createClient = (options: ClientOptions): PortcullisClient => {
  const { url, apiKey, deadlineMs, maxRetries, fetch: given } = options;
  const headers = { Authorization: `Bearer ${readApiKey(apiKey)}`, 'X-Api-Version': API_VERSION };
  // Looked up for each request, and called without an owner: some platforms replace it, and some insist.
  const send: Fetch = given ?? ((to, init) => fetch(to, init));
  return makeResources(makeCall({ url: readUrl(url), headers, fetch: send, patience: { deadlineMs, maxRetries } }));
};
