import type { Backend, Statement } from '../backend/backend.ts';
import type { NewLabel } from '../labels/labels.ts';
import { insertReview, type ReviewRow, reviewsOf } from './store.ts';

export type { ReviewRow } from './store.ts';

/** The label that a review implies: `allow` means legitimate, `block` means fraud. */
export const labelOf = (
  { decision, reason, analyst_id: analystId, reviewed_at: at }: ReviewRow,
  origin: 'case' | 'review',
): NewLabel => ({
  label: decision === 'allow' ? 'legitimate' : 'fraud',
  reason,
  origin,
  source: origin,
  analystId,
  at,
});

/** Reviews of decisions: overrides, and resolutions of cases. The last review of a decision is in force. */
export const makeReviews = (backend: Backend) => ({
  of: (tenant: number, id: string): Promise<ReviewRow[]> => reviewsOf(backend, tenant, id),
  /** Adds a review after the reviews `before`, which must be read under the same lock of the item. */
  add: (tenant: number, id: string, userId: string, before: readonly ReviewRow[], review: ReviewRow): Statement =>
    insertReview(tenant, id, before.length + 1, userId, review),
});
export type Reviews = ReturnType<typeof makeReviews>;
