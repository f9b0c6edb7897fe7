import type { Event, EventRequest, Transaction, TransactionRequest } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import type { Subject, Verdict } from '@portcullis/engine';
import { withPrefix } from '../runtime/ids.ts';

const transactionResult = (id: string, request: TransactionRequest, at: number, verdict: Verdict): Transaction => ({
  transaction_id: withPrefix('transaction', id),
  user_id: request.user_id,
  amount: request.amount,
  currency: request.currency,
  risk_score: verdict.score,
  decision: verdict.decision,
  signals: [...verdict.signals],
  screened_at: writeTimestamp(at),
  decision_id: withPrefix('decision', id),
  case_id: verdict.decision === 'review' ? withPrefix('case', id) : null,
});

const eventResult = (id: string, request: EventRequest, at: number, verdict: Verdict): Event => ({
  event_id: withPrefix('event', id),
  user_id: request.user_id,
  type: request.type,
  outcome: request.outcome ?? 'succeeded',
  risk_score: verdict.score,
  decision: verdict.decision,
  signals: [...verdict.signals],
  screened_at: writeTimestamp(at),
  decision_id: withPrefix('decision', id),
  case_id: verdict.decision === 'review' ? withPrefix('case', id) : null,
});

/** The response to a screening, also when it is read later. */
export const resultOf = (id: string, subject: Subject, verdict: Verdict): Transaction | Event =>
  subject.type === 'transaction'
    ? transactionResult(id, subject.request, subject.at, verdict)
    : eventResult(id, subject.request, subject.at, verdict);
