import type { Handler, Route } from '../http/route.ts';
import { type Erasures, personErrors } from './erasures.ts';

export const privacyRoutes = (route: Route, erasures: Erasures, exportPerson: Handler<'createExport'>): void => {
  route('createExport', exportPerson, personErrors);
  route('createErasure', erasures.create, personErrors);
  route('getErasure', erasures.get);
};
