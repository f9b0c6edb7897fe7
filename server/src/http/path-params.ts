import type { Operation } from '@portcullis/contract';
import { ID_PREFIXES, type IdKind, maskIdentifier, type TagOf } from '@portcullis/contract/values';
import { idOf } from '../runtime/ids.ts';
import { ApiError } from '../validation/errors.ts';
import { describeIdError } from '../validation/id-errors.ts';

type Params = Readonly<Record<string, string>>;

/** `case_id` is the id of a case. Parameters such as `user_id` and `list_id` are names that the caller chose. */
export const idParamsOf = ({ params = {} }: Pick<Operation, 'params'>): [string, IdKind][] =>
  Object.keys(params).flatMap((name): [string, IdKind][] => {
    const kind = name.replace(/_id$/, '');
    return Object.hasOwn(ID_PREFIXES, kind) ? [[name, kind as IdKind]] : [];
  });

/** Path parameters that are names of the caller. */
export const nameParamsOf = (operation: Operation): string[] => {
  const ids = new Map(idParamsOf(operation));
  return Object.keys(operation.params ?? {}).filter((name) => !ids.has(name));
};

/** Throws 404 for an id of another kind. */
export const requireIdKinds = (idParams: readonly (readonly [string, IdKind])[], params: Params): void => {
  for (const [name, kind] of idParams) {
    const value = params[name] as string;
    if (idOf(kind, value) !== undefined) continue;
    throw new ApiError('not_found', `Nothing was found: the id in the path ${describeIdError([kind], value)}.`);
  }
};

/** Masks names of the caller as in a body, so that a `user_id` in a path is the one that was screened. */
export const maskNames = (names: readonly string[], params: Params, tagOf: TagOf): Params =>
  names.length === 0
    ? params
    : { ...params, ...Object.fromEntries(names.map((name) => [name, maskIdentifier(params[name] as string, tagOf)])) };
