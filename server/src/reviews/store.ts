import type { LabelReason } from '@portcullis/contract';
import type { Backend, Statement } from '../backend/backend.ts';

export interface ReviewRow {
  readonly decision: 'allow' | 'block';
  readonly reason: LabelReason | null;
  readonly analyst_id: string | null;
  readonly notes: string | null;
  readonly reviewed_at: number;
}

export const reviewsOf = (backend: Backend, tenant: number, id: string): Promise<ReviewRow[]> =>
  backend.read<ReviewRow>(
    'SELECT decision, reason, analyst_id, notes, reviewed_at FROM reviews WHERE tenant = ? AND id = ? ORDER BY number',
    tenant,
    id,
  );

/**
 * `number` counts the reviews of a decision. A number that is already taken fails the batch, so no review replaces
 * another.
 */
export const insertReview = (
  tenant: number,
  id: string,
  number: number,
  userId: string,
  review: ReviewRow,
): Statement => ({
  sql: `INSERT INTO reviews (tenant, id, number, user_id, decision, reason, analyst_id, notes, reviewed_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  params: [
    tenant,
    id,
    number,
    userId,
    review.decision,
    review.reason,
    review.analyst_id,
    review.notes,
    review.reviewed_at,
  ],
  must: 1,
});
