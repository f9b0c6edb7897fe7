import type { Route } from '../http/route.ts';
import type { Search } from './search.ts';

export const searchRoutes = (route: Route, search: Search): void => {
  route('listScreenings', search.list);
};
