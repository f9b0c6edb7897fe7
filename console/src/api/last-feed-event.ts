import type { FeedEvent } from '@portcullis/client';
import { makeStore } from './store.ts';

/** The last event of the feed. */
export const lastFeedEvent = makeStore<FeedEvent | undefined>(undefined);
