import type { LabelReason } from '@portcullis/contract';
import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';

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

/** Takes the person out of the reviews of a decision. */
export const eraseReviewsRows = (tenant: number, id: string): Statement => ({
  sql: "UPDATE reviews SET user_id = '', notes = NULL WHERE id = ? AND tenant = ?",
  params: [id, tenant],
});

/** Ids of reviews of a user between two ids, in order. */
export const idsOfUser = async (
  backend: Backend,
  tenant: number,
  userId: string,
  after: string,
  before: string,
  limit: number,
): Promise<string[]> =>
  (
    await backend.readLong<{ id: string }>(
      tenant,
      'SELECT DISTINCT id FROM reviews WHERE tenant = ? AND user_id = ? AND id > ? AND id < ? ORDER BY id LIMIT ?',
      ...[tenant, userId, after, before, limit],
    )
  ).map(({ id }) => id);

/** The next tenant with reviews. One step from key to key: a list of all tenants would read every review. */
export const nextReviewedTenant = async (backend: Backend, after: number): Promise<number | undefined> =>
  (
    await backend.readLong<{ tenant: number | null }>(
      NO_TENANT,
      'SELECT MIN(tenant) AS tenant FROM reviews WHERE tenant > ?',
      after,
    )
  )[0]?.tenant ?? undefined;

/** The oldest reviewed decisions of a tenant with ids below one. */
export const oldestReviewed = async (
  backend: Backend,
  tenant: number,
  before: string,
  limit: number,
): Promise<string[]> =>
  (
    await backend.readLong<{ id: string }>(
      NO_TENANT,
      'SELECT DISTINCT id FROM reviews WHERE tenant = ? AND id < ? ORDER BY id LIMIT ?',
      ...[tenant, before, limit],
    )
  ).map(({ id }) => id);

export const deleteReviews = (tenant: number, id: string): Statement => ({
  sql: 'DELETE FROM reviews WHERE tenant = ? AND id = ?',
  params: [tenant, id],
});
