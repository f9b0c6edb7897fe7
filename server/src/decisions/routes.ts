import type { Route } from '../http/route.ts';
import type { Decisions } from './decisions.ts';

export const decisionRoutes = (route: Route, decisions: Decisions): void => {
  route('getDecision', decisions.get);
  route('reviewDecision', decisions.review);
};
