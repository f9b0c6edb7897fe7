import type { Route } from '../http/route.ts';
import type { Audit, Names } from './audit.ts';

export const auditRoutes = (route: Route, audit: Audit, names: Names): void => {
  route('listAudit', (call) => audit.list(call, names));
  route('checkAudit', audit.check);
};
