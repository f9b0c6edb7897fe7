import type { BatchRoute, Route } from '../http/route.ts';
import type { Screening } from './screen.ts';

export const screeningRoutes = (route: Route, batchRoute: BatchRoute, screening: Screening): void => {
  batchRoute('screenTransaction', screening.screenTransactions);
  route('getTransaction', screening.getTransaction);
  batchRoute('screenEvent', screening.screenEvents);
  route('getEvent', screening.getEvent);
};
