import type { Route } from '../http/route.ts';
import type { Feed } from './feed.ts';

export const feedRoutes = (route: Route, feed: Feed): void => {
  route('listenFeed', feed.listen);
};
