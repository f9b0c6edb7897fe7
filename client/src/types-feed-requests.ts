// Generated from the contract by `npm run client`. Do not edit.

export interface FeedQuery {
  /** Topics to listen to, separated by commas: `cases`, `reviews`, `blocks`. Default: all. `feed.gap` belongs to every topic. */
  topics?: string | undefined;
}
