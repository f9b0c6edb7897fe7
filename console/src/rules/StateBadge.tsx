import type { RuleState } from './rule.ts';

const LOOKS: Readonly<Record<RuleState, string>> = {
  draft: 'plain',
  shadow: 'review',
  live: 'allow',
  retired: 'expired',
};
export const StateBadge = ({ state }: { state: RuleState }) => (
  <span className={`badge badge-${LOOKS[state]}`}>{state}</span>
);
