import type { Route } from '../http/route.ts';
import { refuseReasonOf } from '../labels/reason.ts';
import type { Decisions } from './decisions.ts';

export const decisionRoutes = (route: Route, decisions: Decisions): void => {
  route('getDecision', decisions.get);
  route('reviewDecision', decisions.review, refuseReasonOf('decision', 'allow'));
  route('replayDecision', decisions.replay, decisions.replayErrors);
};
