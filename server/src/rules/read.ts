import type { OwnRule } from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import { makeAsked } from './asked.ts';
import { findRule, rulesIn } from './store.ts';

/** What fails here is told of by those who serve. */
const tellNobody = (): void => {};

/** The tenant's rules for another thread, which asks them of the past. */
export const readRules = async (backend: Pick<Backend, 'read'>, tenant: number): Promise<OwnRule[]> => {
  const { of } = makeAsked(tellNobody);
  return (await rulesIn(backend as Backend, tenant, ['shadow', 'live'])).map((row) => of(row).own);
};

/** One of them, in whatever state, as if it were live. */
export const readRule = async (
  backend: Pick<Backend, 'read'>,
  tenant: number,
  id: string,
): Promise<OwnRule | undefined> => {
  const row = await findRule(backend as Backend, tenant, id);
  if (row === undefined) return undefined;
  return { ...makeAsked(tellNobody).of(row).own, state: 'live' };
};
