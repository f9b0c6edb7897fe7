import type { Route } from '../http/route.ts';
import { type Imports, itemErrors } from './imports.ts';

export const importRoutes = (route: Route, imports: Imports): void => {
  route('createImport', imports.import, itemErrors);
};
