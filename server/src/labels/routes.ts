import type { Route } from '../http/route.ts';
import { type Labels, subjectErrors } from './labels.ts';
import { refuseReasonOf } from './reason.ts';

const reasonErrors = refuseReasonOf('label', 'legitimate');

export const labelRoutes = (route: Route, labels: Labels): void => {
  route('addLabel', labels.add, (body) => [...subjectErrors(body), ...reasonErrors(body)]);
  route('listLabels', labels.list);
  route('getLabel', labels.get);
};
