interface Asked {
  readonly type?: 'transaction' | 'event';
  readonly terms?: readonly string[];
  /** One of the ranges up to now, such as `7d`. */
  readonly range?: string;
  readonly from?: string;
  readonly until?: string;
}

/** The address of the explorer with some filters. */
export const explorerPath = ({ type, terms = [], range, from, until }: Asked): string => {
  const params = new URLSearchParams();
  if (type !== undefined) params.set('type', type);
  for (const text of terms) params.append('f', text);
  if (range !== undefined) params.set('range', range);
  if (from !== undefined) params.set('from', from);
  if (until !== undefined) params.set('until', until);
  return params.size === 0 ? '/explorer' : `/explorer?${params}`;
};
