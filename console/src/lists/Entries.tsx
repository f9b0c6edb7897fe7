import type { List, ListEntry } from '@portcullis/client';
import { DecisionBadge } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { formatDay, formatDayTime, formatDuration } from '../parts/format.ts';
import { TableBox } from '../parts/TableBox.tsx';
import { Time, useNow } from '../parts/Time.tsx';
import { kindWords } from './words.ts';

const SOON_MS = 7 * 86_400_000;

const Expires = ({ at, now }: { at: string | null; now: number }) => {
  if (at === null) return <span className="dim">never</span>;
  const left = Date.parse(at) - now;
  return left < SOON_MS ? (
    <span className="is-soon">in {formatDuration(Math.max(0, left))}</span>
  ) : (
    <Time at={at} as={formatDay} />
  );
};

/** The entries of a list, with those that end soon marked. */
export const Entries = ({
  entries,
  remove,
  why,
}: {
  entries: readonly ListEntry[];
  remove: (entry: ListEntry) => void;
  why: string | undefined;
}) => {
  const now = useNow();
  return (
    <TableBox label="Entries">
      <table className="table rows entries">
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col" className="is-wide">
              Kind
            </th>
            <th scope="col" className="is-wide">
              Reason
            </th>
            <th scope="col">Expires</th>
            <th scope="col" className="is-wide">
              Added
            </th>
            <th scope="col">
              <span className="unseen">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.entry_id}>
              <td className="entry-value">
                <span className="mono">{entry.value}</span>
                <span className="is-narrow dim">{kindWords(entry.kind)}</span>
              </td>
              <td className="nowrap is-wide">{kindWords(entry.kind)}</td>
              <td className="is-wide">{entry.reason ?? <span className="dim">–</span>}</td>
              <td className="nowrap">
                <Expires at={entry.expires_at} now={now} />
              </td>
              <td className="dim is-wide">
                {entry.author}, <Time at={entry.created_at} as={formatDayTime} />
              </td>
              <td className="end">
                <Button
                  small
                  look="ghost"
                  icon="cross"
                  label={`Remove ${entry.value}`}
                  why={why}
                  onClick={() => remove(entry)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
};

/** The test addresses are the same for everybody, and cannot be changed. */
export const TestAddresses = ({ list }: { list: List }) => (
  <table className="table rows">
    <thead>
      <tr>
        <th scope="col">Address</th>
        <th scope="col">Decision</th>
      </tr>
    </thead>
    <tbody>
      {list.entries?.map(({ ip_address, decision }) => (
        <tr key={ip_address}>
          <td className="mono">{ip_address}</td>
          <td>
            <DecisionBadge decision={decision} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
