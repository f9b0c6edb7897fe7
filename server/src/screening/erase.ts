import type { Statement } from '../backend/backend.ts';
import { eraseStoredFacts } from '../backend/erased-facts.ts';
import { eraseRequest } from '../backend/erased-request.ts';
import type { StoredScreening } from '../backend/journal.ts';
import { replaceSubject } from './store.ts';

/** Takes the person out of a screening. Its verdict, and the facts that recognize nobody, stay. */
export const eraseScreening = ({ tenant, seq, type, request, ...row }: StoredScreening): Statement =>
  replaceSubject(tenant, seq, eraseRequest(type, request), eraseStoredFacts(row));
