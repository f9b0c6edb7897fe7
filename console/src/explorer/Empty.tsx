import { useQueries } from '@tanstack/react-query';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { queryOf, type UrlState } from './url-state.ts';

interface Props {
  readonly urlState: UrlState;
  readonly onChange: (next: Partial<UrlState>) => void;
}

/** Nothing matches: names the filters without which something would. */
export const Empty = ({ urlState, onChange }: Props) => {
  const client = useClient();
  const environment = useEnvironment();
  const { terms } = urlState;
  const without = (term: string): readonly string[] => terms.filter((one) => one !== term);
  const found = useQueries({
    queries: (terms.length > 1 ? terms : []).map((term) => {
      const query = queryOf({ ...urlState, terms: without(term) });
      return {
        queryKey: [environment, 'screenings-any', query],
        queryFn: ({ signal }: { signal: AbortSignal }) => client.screenings.list({ ...query, limit: 1 }, { signal }),
        staleTime: 60_000,
        retry: false,
      };
    }),
  });
  const excluding = terms.filter((_, at) => (found[at]?.data?.screenings.length ?? 0) > 0);
  if (terms.length === 0)
    return (
      <EmptyState
        icon="search"
        title="Nothing was screened in this period"
        more={<Button onClick={() => onChange({ range: { preset: '90d' } })}>Show 90 days</Button>}
      >
        Payments and events are listed here as they are screened.
      </EmptyState>
    );
  return (
    <EmptyState
      icon="filter"
      title="No item matches"
      more={
        <div className="row-buttons">
          {excluding.map((term) => (
            <Button key={term} icon="cross" onClick={() => onChange({ terms: without(term) })}>
              Search without {term}
            </Button>
          ))}
          <Button onClick={() => onChange({ terms: [] })}>Clear the filters</Button>
        </div>
      }
    >
      {excluding.length > 0 ? 'There are items if you remove one of these filters.' : terms.join('  ')}
    </EmptyState>
  );
};
