import { useQueries } from '@tanstack/react-query';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { State } from '../parts/State.tsx';
import { type Chosen, queryOf } from './chosen.ts';

interface Props {
  readonly chosen: Chosen;
  readonly onChange: (next: Partial<Chosen>) => void;
}

/** Nothing matches: names the filters without which something would. */
export const Empty = ({ chosen, onChange }: Props) => {
  const client = useClient();
  const environment = useEnvironment();
  const { terms } = chosen;
  const without = (term: string): readonly string[] => terms.filter((one) => one !== term);
  const found = useQueries({
    queries: (terms.length > 1 ? terms : []).map((term) => {
      const query = queryOf({ ...chosen, terms: without(term) });
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
      <State
        icon="search"
        title="Nothing was screened in this time"
        more={<Button onClick={() => onChange({ range: { preset: '90d' } })}>Look at 90 days</Button>}
      >
        Payments and events are listed here as they are screened.
      </State>
    );
  return (
    <State
      icon="filter"
      title="No item matches"
      more={
        <div className="row-buttons">
          {excluding.map((term) => (
            <Button key={term} icon="cross" onClick={() => onChange({ terms: without(term) })}>
              Without {term}
            </Button>
          ))}
          <Button onClick={() => onChange({ terms: [] })}>Clear the filters</Button>
        </div>
      }
    >
      {excluding.length > 0 ? 'Without one of these filters there are items.' : terms.join('  ')}
    </State>
  );
};
