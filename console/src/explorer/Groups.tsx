import type { ScreeningFilter, ScreeningGroup } from '@portcullis/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatCount, formatCountry, formatName, formatShare, formatUsd, plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { formatMoment } from './moment.ts';
import type { Grouping } from './url-state.ts';
import '../parts/table.css';

/** The filter that a group of items matches. */
const WORDS: Partial<Record<Grouping, string>> = { device: 'device_token' };
const termOf = (by: Grouping, value: string): string => `${WORDS[by] ?? by}:${value}`;
const show = (by: Grouping, value: string): string => (by === 'country' ? `${formatCountry(value)} (${value})` : value);

interface Props {
  readonly by: Grouping;
  readonly query: ScreeningFilter;
  /** Called with the filter of the group that somebody clicks on. */
  readonly onTerm: (term: string) => void;
}

const MOST = 100;

/** The items that match, counted by one of their values. */
export const Groups = ({ by, query, onTerm }: Props) => {
  const client = useClient();
  const environment = useEnvironment();
  const groups = useQuery({
    queryKey: [environment, 'screening-groups', by, query],
    queryFn: ({ signal }) => client.screenings.group({ ...query, by, limit: MOST }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
  if (groups.data === undefined)
    return groups.isError ? (
      <Failed error={groups.error} retry={() => void groups.refetch()} />
    ) : (
      <div style={{ padding: 20 }}>
        <Skeleton rows={8} height={26} />
      </div>
    );
  const { groups: all, cut, looked_back_to } = groups.data;
  if (all.length === 0)
    return (
      <EmptyState icon="filter" title="No item matches">
        Remove a filter, or choose a longer period.
      </EmptyState>
    );
  const most = Math.max(...all.map(({ items }) => items));
  const name = ({ value }: ScreeningGroup) =>
    value === null ? (
      <span className="dim">None</span>
    ) : (
      <button type="button" className="group-name" title={value} onClick={() => onTerm(termOf(by, value))}>
        {show(by, value)}
      </button>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus
    <div className="group-box" tabIndex={0} role="region" aria-label={`Items by ${formatName(by)}`}>
      <table className="table group-table">
        <thead>
          <tr>
            <th scope="col">{formatName(by)}</th>
            <th scope="col" className="end">
              Items
            </th>
            <th scope="col" className="is-wide">
              <span className="unseen">Bar</span>
            </th>
            <th scope="col" className="end is-wide">
              US dollars
            </th>
            <th scope="col" className="end">
              Held
            </th>
            <th scope="col" className="end">
              Blocked
            </th>
            <th scope="col" className="end">
              Fraud
            </th>
            <th scope="col" className="end is-wide">
              Newest
            </th>
          </tr>
        </thead>
        <tbody>
          {all.map((group) => (
            <tr key={group.value ?? ''}>
              <td>{name(group)}</td>
              <td className="end num">{formatCount(group.items)}</td>
              <td className="group-bar is-wide">
                <span style={{ width: `${(group.items / most) * 100}%` }} />
              </td>
              <td className="end num is-wide">{formatUsd(group.amount_usd)}</td>
              <td className="end num">{formatCount(group.review)}</td>
              <td className="end num">{formatCount(group.block)}</td>
              <td className="end num">
                {group.fraud === 0 ? (
                  <span className="dim">0</span>
                ) : (
                  `${formatCount(group.fraud)}, ${formatShare(group.fraud / group.items)}`
                )}
              </td>
              <td className="end num dim is-wide">
                <Time at={group.last_seen_at} as={formatMoment} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="v-foot">
        {cut ? `The largest ${MOST} groups` : plural(all.length, 'group')}
        {looked_back_to !== null && (
          <>
            , counted back to <Time at={looked_back_to} as={formatMoment} />
          </>
        )}
      </p>
    </div>
  );
};
