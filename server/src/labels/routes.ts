import type { Route } from '../http/route.ts';
import { type Labels, subjectErrors } from './labels.ts';

export const labelRoutes = (route: Route, labels: Labels): void => {
  route('addLabel', labels.add, subjectErrors);
  route('listLabels', labels.list);
  route('getLabel', labels.get);
};
