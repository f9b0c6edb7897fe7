import type { Route } from '../http/route.ts';
import { type Labels, subjectFaults } from './labels.ts';

export const labelRoutes = (route: Route, labels: Labels): void => {
  route('addLabel', labels.add, subjectFaults);
  route('listLabels', labels.list);
  route('getLabel', labels.get);
};
