import type { Target } from './load.ts';

/** Calls an operation of the service. Throws unless the response is a success. */
export const callApi = async <T>({ port, key }: Target, method: string, path: string, body?: unknown): Promise<T> => {
  const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}`);
  return (await response.json()) as T;
};
