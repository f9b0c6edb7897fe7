// Generated from the contract by `npm run client`. Do not edit.

/** The `data` of each event, as one line of JSON. */
export interface FeedEvent {
  /** Position in the feed, also sent as `id`. To resume after it, send it as `Last-Event-ID`. */
  event_id: string;
  /** `case.created`: a case waits for review. `case.resolved`: a person resolved it. `case.assigned`: it has an assignee, or another one. `case.released`: it has none any more. `case.reopened`: it waits again. `case.expired`: nobody resolved it in time. `decision.reviewed`: a person overrode a decision, which resolves its case if it is open. `….decision.block`: the screening blocked an item. `feed.gap`: events are missing here, because the position is too old; read the lists again. */
  type:
    | 'case.created'
    | 'case.resolved'
    | 'case.assigned'
    | 'case.released'
    | 'case.reopened'
    | 'case.expired'
    | 'decision.reviewed'
    | 'transaction.decision.block'
    | 'event.decision.block'
    | 'feed.gap';
  /** When it happened. */
  at: string;
  /** This and all further fields are `null` in a gap. */
  subject_type: 'transaction' | 'event' | null;
  subject_id: string | null;
  decision_id: string | null;
  /** The case. `null`: the item has none. */
  case_id: string | null;
  risk_score: number | null;
  /** The decision of the screening, or of the review. */
  decision: 'allow' | 'review' | 'block' | null;
}
