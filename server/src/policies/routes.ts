import type { Route } from '../http/route.ts';
import type { Policies } from './policies.ts';

export const policyRoutes = (route: Route, policies: Policies): void => {
  route('getPolicy', policies.get);
  route('changePolicy', policies.change, policies.pointErrors);
  route('listPolicyVersions', policies.versions);
  route('getPolicyProposal', policies.propose);
};
