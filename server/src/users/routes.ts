import type { Route } from '../http/route.ts';
import type { Users } from './users.ts';

export const userRoutes = (route: Route, users: Users): void => {
  route('getRiskProfile', users.getRiskProfile);
};
