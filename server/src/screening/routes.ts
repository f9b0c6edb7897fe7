import type { Route } from '../http/route.ts';
import type { Screening } from './screen.ts';

export const screeningRoutes = (route: Route, screening: Screening): void => {
  route('screenTransaction', screening.screenTransaction);
  route('getTransaction', screening.getTransaction);
  route('screenEvent', screening.screenEvent);
  route('getEvent', screening.getEvent);
};
