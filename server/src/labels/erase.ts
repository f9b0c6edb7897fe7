import type { Backend, Statement } from '../backend/backend.ts';
import { eraseStoredFacts } from '../backend/erased-facts.ts';
import { seqOf } from '../runtime/ids.ts';
import { factsOfLabels, replaceFacts } from './store.ts';

/** Takes the person out of the labels of a screening. */
export const eraseLabels = async (
  backend: Pick<Backend, 'read'>,
  tenant: number,
  screeningId: string,
): Promise<Statement[]> =>
  (await factsOfLabels(backend, tenant, seqOf(screeningId))).map((row) =>
    replaceFacts(tenant, row.seq, eraseStoredFacts(row)),
  );
