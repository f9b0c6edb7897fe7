import type { Operation } from '@portcullis/contract';
import { ApiError } from '../validation/errors.ts';

/** A method and path that the process serves. */
export type Endpoint = Pick<Operation, 'method' | 'path'>;

const hasParameters = (path: string): boolean => path.includes('{');
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
  // Paths without parameters first: `/v1/lists/check` is an operation before it is the list named `check`.
  const paths = [...new Set(endpoints.map(({ path }) => path))]
    .sort((a, b) => Number(hasParameters(a)) - Number(hasParameters(b)))
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
 * Paths of other operations that look like this operation's path with an id, with the methods they take. Without this,
 * `GET /v1/transactions/screen` would be a search for the transaction `screen`. Undefined for most operations.
 */
export const lookalikePaths = (
  operation: Endpoint,
  endpoints: readonly Endpoint[],
): ReadonlyMap<string, string> | undefined => {
  if (!hasParameters(operation.path)) return undefined;
  const pattern = patternOf(operation.path);
  const found = endpoints.filter(({ path }) => !hasParameters(path) && pattern.test(path));
  return found.length === 0 ? undefined : new Map(found.map(({ path }) => [path, allowedAt(path, endpoints)]));
};
