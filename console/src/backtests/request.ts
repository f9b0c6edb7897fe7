import type { Backtest, PolicyChange } from '@portcullis/client';

const TYPES = { transaction: 'Payments', event: 'Events' } as const;

const policyWords = ({ thresholds, points, budget }: PolicyChange): string => {
  const words = (['transaction', 'event'] as const).flatMap((type) => {
    const wanted = thresholds?.[type];
    return wanted === undefined ? [] : [`${TYPES[type]}: review ${wanted.review}, block ${wanted.block}`];
  });
  if (points !== undefined) words.push(`Points for ${Object.keys(points).length} signals`);
  if (budget !== undefined) words.push('Budget');
  return words.join('. ') || 'The current policy';
};

/** The tested change, in a line. `names` has the names of rules by id. */
export const requestWords = ({ request }: Backtest, names: ReadonlyMap<string, string>): string => {
  if (request.policy !== undefined) return policyWords(request.policy);
  if (request.rule_id !== undefined) return names.get(request.rule_id) ?? request.rule_id;
  return request.rule?.expression.replace(/\s+/g, ' ') ?? '';
};

export const kindOf = ({ request }: Backtest): string =>
  request.policy !== undefined ? 'Policy' : request.rule_id !== undefined ? 'Rule' : 'Rule text';
