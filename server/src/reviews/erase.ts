export { eraseReviewsRows as eraseReviews, idsOfUser as reviewedIdsOfUser, reviewsOf } from './store.ts';
