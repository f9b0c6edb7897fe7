import type { FeedEvent } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import { withPrefix } from '../runtime/ids.ts';
import type { FeedRow } from '../search/search.ts';

/** The text of server-sent events. An `id` without data moves the position of a listener on. */

/** How long a browser waits before it connects again. */
const RETRY_MS = 2000;

const textOf = (event: FeedEvent): string =>
  `id: ${event.event_id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

export const startText = (position: number): string => `retry: ${RETRY_MS}\nid: ${position}\n\n`;
export const heartbeatText = (position: number): string => `: heartbeat\nid: ${position}\n\n`;

export const gapText = (position: number, now: number): string =>
  `retry: ${RETRY_MS}\n${textOf({
    event_id: String(position),
    type: 'feed.gap',
    at: writeTimestamp(now),
    subject_type: null,
    subject_id: null,
    decision_id: null,
    case_id: null,
    risk_score: null,
    decision: null,
  })}`;

/** An event has only ids of the service: nothing that a caller sent. */
export const eventText = ({ number, type, at, id, subject_type, has_case, score, decision }: FeedRow): string =>
  textOf({
    event_id: String(number),
    type,
    at: writeTimestamp(at),
    subject_type,
    subject_id: withPrefix(subject_type, id),
    decision_id: withPrefix('decision', id),
    case_id: has_case === 1 ? withPrefix('case', id) : null,
    risk_score: score,
    decision,
  });
