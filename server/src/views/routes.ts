import type { Route } from '../http/route.ts';
import type { Views } from './views.ts';

export const viewRoutes = (route: Route, views: Views): void => {
  route('listViews', views.list);
  route('createView', views.create);
  route('changeView', views.change);
  route('deleteView', views.remove);
};
