import type { Operation } from '@portcullis/contract';
import { ApiError } from '../validation/errors.ts';

/** A method and path that the process serves. */
export type Endpoint = Pick<Operation, 'method' | 'path'>;

const parametersOf = (path: string): number => path.split('{').length - 1;
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** The `Allow` header of a path. Fastify answers HEAD wherever it answers GET. */
const allowedAt = (path: string, endpoints: readonly Endpoint[]): string => {
  const methods = endpoints.filter((endpoint) => endpoint.path === path).map(({ method }) => method);
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].join(', ');
};

export const methodNotAllowed = (allow: string): ApiError =>
  new ApiError('method_not_allowed', `This path takes ${allow.replace(/, (\w+)$/, ' and $1')}.`, {
    headers: { Allow: allow },
  });

/** Makes the error of a request that no route takes: 405 where the path takes other methods, else 404. */
export const makeNoRoute = (endpoints: readonly Endpoint[]) => {
  // Paths with fewer parameters first: `/v1/lists/check` is an operation before it is the list named `check`.
  const paths = [...new Set(endpoints.map(({ path }) => path))]
    .sort((a, b) => parametersOf(a) - parametersOf(b))
    .map((path) => ({ pattern: patternOf(path), allow: allowedAt(path, endpoints) }));
  return (url: string): ApiError => {
    const path = url.split('?', 1)[0] as string;
    const known = paths.find(({ pattern }) => pattern.test(path));
    return known === undefined
      ? new ApiError('not_found', 'There is nothing at this path. GET /docs lists every path.')
      : methodNotAllowed(known.allow);
  };
};

/**
 * Finds the methods of another operation whose path looks like this operation's path with an id. Without this,
 * `GET /v1/transactions/screen` would be a search for the transaction `screen`. Undefined for most operations.
 */
export const lookalikesOf = (
  { path }: Endpoint,
  endpoints: readonly Endpoint[],
): ((path: string) => string | undefined) | undefined => {
  const pattern = patternOf(path);
  const paths = endpoints
    .map((endpoint) => endpoint.path)
    .filter((other) => parametersOf(other) < parametersOf(path) && pattern.test(other));
  if (paths.length === 0) return undefined;
  const found = [...new Set(paths)].map((other) => ({ pattern: patternOf(other), allow: allowedAt(other, endpoints) }));
  return (requested) => found.find((other) => other.pattern.test(requested))?.allow;
};
