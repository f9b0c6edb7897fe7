import type { Backend, Statement } from '../backend/backend.ts';
import { countConfirmedFraud, insertReview, type ReviewRow, reviewsOf } from './store.ts';

export type { ReviewRow } from './store.ts';

/** What people said of decisions: by an override, or by resolving a case. The last one is in force. */
export const makeReviews = (backend: Backend) => ({
  of: (tenant: number, id: string): Promise<ReviewRow[]> => reviewsOf(backend, tenant, id),
  /** Adds to the reviews read `before`: refused by the store when another was added since. */
  add: (tenant: number, id: string, userId: string, before: readonly ReviewRow[], review: ReviewRow): Statement =>
    insertReview(tenant, id, before.length + 1, userId, review),
  confirmedFraud: (tenant: number, userId: string): Promise<number> => countConfirmedFraud(backend, tenant, userId),
});
export type Reviews = ReturnType<typeof makeReviews>;
