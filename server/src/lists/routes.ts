import type { Route } from '../http/route.ts';
import type { Lists } from './lists.ts';

export const listRoutes = (route: Route, lists: Lists): void => {
  route('listLists', lists.list);
  route('createList', lists.create);
  route('checkLists', lists.check);
  route('getList', lists.get);
  route('changeList', lists.change);
  route('deleteList', lists.remove);
  route('listListEntries', lists.listEntries);
  route('exportList', lists.export);
  route('addListEntries', lists.addEntries, lists.entryErrors);
  route('removeListEntry', lists.removeEntry);
};
