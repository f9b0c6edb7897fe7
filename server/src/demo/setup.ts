import type { Api } from './api.ts';

interface DemoRule {
  readonly name: string;
  readonly description: string;
  readonly expression: string;
  readonly action: object;
  readonly isLive: boolean;
}
const RULES: readonly DemoRule[] = [
  {
    name: 'large_payment_at_night',
    description: 'Payments over 300 dollars between midnight and five.',
    expression: 'amount_usd > 300 && hour < 5',
    action: { decision: 'review' },
    isLive: false,
  },
  {
    name: 'card_of_another_country',
    description: 'The billing country differs from the country of the address.',
    expression: 'billing_address.country != "" && ip_country != "" && billing_address.country != ip_country',
    action: { points: 10 },
    isLive: false,
  },
  {
    name: 'very_large_payment',
    description: 'A person looks at every payment over 2,000 dollars.',
    expression: 'amount_usd > 2000',
    action: { decision: 'review' },
    isLive: true,
  },
];

/** Creates the rules of the shop: two in shadow, one live. */
export const createRules = async (api: Api): Promise<void> => {
  for (const { isLive, ...rule } of RULES) {
    const { rule_id } = await api.post<{ rule_id: string }>('/v1/rules', rule);
    await api.put(`/v1/rules/${rule_id}`, { state: 'shadow' });
    if (isLive) await api.put(`/v1/rules/${rule_id}`, { state: 'live' });
  }
};

/** Sends the messages about cases to the shop's own system. */
export const createEndpoint = (api: Api, url: string): Promise<unknown> =>
  api.post('/v1/webhooks', { url, events: ['case.created', 'case.resolved'], description: 'The shop itself' });

/** A list that analysts may add to. */
export const createList = async (api: Api): Promise<void> => {
  const { list_id } = await api.post<{ list_id: string }>('/v1/lists', {
    name: 'no_delivery',
    description: 'Countries that no carrier delivers to',
    treatment: 'review',
    open_to_analysts: true,
  });
  const entries = ['KP', 'SY', 'AQ'].map((value) => ({ kind: 'country', value, reason: 'No carrier' }));
  await api.post(`/v1/lists/${list_id}/entries`, { entries });
};

/** Tries a lower review threshold on the past month. */
export const startBacktest = (api: Api): Promise<unknown> =>
  api.post('/v1/backtests', { policy: { thresholds: { transaction: { review: 40, block: 80 } } } });
