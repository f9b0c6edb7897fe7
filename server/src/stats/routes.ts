import type { Route } from '../http/route.ts';
import type { Stats } from './stats.ts';

export const statsRoutes = (route: Route, stats: Stats): void => {
  route('getDecisionsStats', stats.decisions);
  route('getScoresStats', stats.scores);
  route('getSignalsStats', stats.signals);
  route('getRulesStats', stats.rules);
  route('getCountriesStats', stats.countries);
  route('getCasesStats', stats.cases);
  route('getServiceStats', stats.service);
};
