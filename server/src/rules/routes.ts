import type { Route } from '../http/route.ts';
import type { Rules } from './rules.ts';

export const ruleRoutes = (route: Route, rules: Rules): void => {
  route('createRule', rules.create, rules.bodyErrors);
  route('listRules', rules.list);
  route('listRuleVariables', rules.variables);
  route('checkRule', rules.check);
  route('getRule', rules.get);
  route('changeRule', rules.change, rules.bodyErrors);
  route('deleteRule', rules.remove);
  route('listRuleHits', rules.hits);
  route('getRuleSeries', rules.series);
  route('listRuleVersions', rules.versions);
};
