import { markPresent, subjectOf, unpackVerdict } from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import { presentRequest } from '../backend/erased-request.ts';
import type { Answer, AnyCall } from '../http/route.ts';
import { idOf } from '../runtime/ids.ts';
import { type SubjectCall, subjectFor } from '../subjects/subjects.ts';
import { notFound } from '../validation/errors.ts';
import { resultOf } from './result.ts';
import { findScreening } from './store.ts';

export const getScreening = async (
  { backend, clock }: { readonly backend: Backend; readonly clock: () => number },
  call: AnyCall & SubjectCall,
  type: 'transaction' | 'event',
  publicId: string,
): Promise<Answer> => {
  const id = idOf(type, publicId);
  const row = id === undefined ? undefined : await findScreening(backend, call.caller.tenant, id, clock());
  if (row === undefined || row.type !== type) throw notFound(type);
  const subject = subjectOf(markPresent, type, presentRequest(row.request), row.screened_at);
  const result = resultOf(row.id, subject, unpackVerdict(row.verdict));
  const shown = row.imported === 1 ? { ...result, case_id: null, imported: true } : result;
  return call.answer({ ...shown, ...subjectFor(call, row) });
};
