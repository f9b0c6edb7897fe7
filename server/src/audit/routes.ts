import type { Route } from '../http/route.ts';
import type { Audit } from './audit.ts';

export const auditRoutes = (route: Route, audit: Audit): void => {
  route('listAudit', audit.list);
  route('checkAudit', audit.check);
};
