import { createClient, type Fetch, type PortcullisClient, PortcullisError } from '@portcullis/client';
import { noteResponse } from './connection.ts';
import { type Environment, signedInAgain } from './session.ts';

const DEADLINE_MS = 15_000;

/** Browsers refuse a request with `keepalive` if the bodies of all those in flight exceed 64 KiB. */
const MAX_KEPT_BYTES = 64 * 1024;
let keptBytes = 0;

/** Sends a change. `keepalive` lets it outlive the page, which a body above the limit of the browser cannot. */
const sendChange = async (url: string, init: RequestInit): Promise<Response> => {
  const bytes = new Blob([(init.body as string | undefined) ?? '']).size;
  if (keptBytes + bytes > MAX_KEPT_BYTES) return fetch(url, init);
  keptBytes += bytes;
  try {
    return await fetch(url, { ...init, keepalive: true });
  } finally {
    keptBytes -= bytes;
  }
};

/** Sends the session instead of a key. */
const sessionFetch =
  (environment: Environment): Fetch =>
  async (url, { headers: { Authorization: _, ...headers }, ...init }) => {
    // The feed has a limit of its own. Without it, pages ask again from time to time.
    const note = url.includes('/v1/feed') ? () => {} : noteResponse;
    const sent = { ...init, headers: { ...headers, 'X-Portcullis-Environment': environment } };
    try {
      const response = await (init.method === 'GET' ? fetch : sendChange)(url, sent);
      note(response);
      return response;
    } catch (error) {
      // A page that is left aborts its requests.
      if (!init.signal.aborted) note(undefined);
      throw error;
    }
  };

const isEnded = (error: unknown): boolean => error instanceof PortcullisError && error.status === 401;

/** Waits for the sign-in if the session has ended, and carries on. So nothing of the page is lost. */
const carryOn = async <Result>(run: () => Promise<Result>): Promise<Result> => {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isEnded(error)) throw error;
      await signedInAgain();
    }
  }
};

type Method = (...args: unknown[]) => unknown;
const withSession = (client: PortcullisClient): PortcullisClient => {
  const wrap = (method: Method): Method => {
    return (...args) => {
      const first = method(...args);
      if (!(first instanceof Promise)) return first;
      let isFirst = true;
      return carryOn(() => {
        const result = isFirst ? first : (method(...args) as Promise<unknown>);
        isFirst = false;
        return result;
      });
    };
  };
  const resources = Object.entries(client).map(([name, resource]) => [
    name,
    Object.fromEntries(Object.entries(resource as object).map(([key, method]) => [key, wrap(method as Method)])),
  ]);
  return Object.fromEntries(resources) as PortcullisClient;
};

const clients = new Map<Environment, PortcullisClient>();
/** Every operation of the service, in one environment, with the session of this browser. */
export const clientOf = (environment: Environment): PortcullisClient => {
  const found = clients.get(environment);
  if (found !== undefined) return found;
  const options = { url: location.origin, apiKey: 'session', deadlineMs: DEADLINE_MS, maxRetries: 1 };
  const client = withSession(createClient({ ...options, fetch: sessionFetch(environment) }));
  clients.set(environment, client);
  return client;
};
export { PortcullisError };
