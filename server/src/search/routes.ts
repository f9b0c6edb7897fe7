import type { Route } from '../http/route.ts';
import type { Search } from './search.ts';

export const searchRoutes = (route: Route, search: Search): void => {
  route('listScreenings', search.list);
  route('groupScreenings', search.group);
  route('exportScreenings', search.export);
  route('search', search.find);
  route('listUsers', search.users);
  route('listTimeline', search.timeline);
  route('getUsual', search.usual);
  route('getSeries', search.series);
  route('getLinks', search.links);
  route('getEntity', search.entity);
};
