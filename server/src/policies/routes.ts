import type { Route } from '../http/route.ts';
import type { Policies } from './policies.ts';

export const policyRoutes = (route: Route, policies: Policies): void => {
  route('getPolicy', policies.get);
  route('changePolicy', policies.change, policies.pointFaults);
  route('listPolicyVersions', policies.versions);
};
