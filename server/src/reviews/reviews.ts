import type { Backend, Statement } from '../backend/backend.ts';
import type { Given } from '../labels/labels.ts';
import { insertReview, type ReviewRow, reviewsOf } from './store.ts';

export type { ReviewRow } from './store.ts';

/** What a review says of its item, for good: whoever lets it through takes it for legitimate, whoever blocks it for fraud. */
export const labelOf = (
  { decision, analyst_id: analystId, reviewed_at: at }: ReviewRow,
  origin: 'case' | 'review',
): Given => ({ label: decision === 'allow' ? 'legitimate' : 'fraud', origin, source: origin, analystId, at });

/** What people said of decisions: by an override, or by resolving a case. The last one is in force. */
export const makeReviews = (backend: Backend) => ({
  of: (tenant: number, id: string): Promise<ReviewRow[]> => reviewsOf(backend, tenant, id),
  /** Adds to the reviews read `before`, in the turn that they were read in. */
  add: (tenant: number, id: string, userId: string, before: readonly ReviewRow[], review: ReviewRow): Statement =>
    insertReview(tenant, id, before.length + 1, userId, review),
});
export type Reviews = ReturnType<typeof makeReviews>;
