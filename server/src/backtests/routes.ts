import type { Route } from '../http/route.ts';
import type { Backtests } from './backtests.ts';

export const backtestRoutes = (route: Route, backtests: Backtests): void => {
  route('createBacktest', backtests.create, backtests.requestErrors);
  route('getBacktest', backtests.get);
  route('cancelBacktest', backtests.cancel);
  route('listBacktests', backtests.list);
};
