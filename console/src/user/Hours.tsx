import type { Usual } from '@portcullis/client';
import { useId, useState } from 'react';
import { Card } from '../parts/Card.tsx';
import { formatCount, plural } from '../parts/format.ts';
import { TableButton } from '../parts/TableButton.tsx';

const nameOf = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** When the user is active, by hour of the day. */
export const Hours = ({ usual: { hours, items, days } }: { usual: Usual }) => {
  const [isTable, setTable] = useState(false);
  const id = useId();
  const most = Math.max(1, ...hours);
  const busiest = hours.indexOf(Math.max(...hours));
  return (
    <Card
      title="Hours of day"
      note={`UTC, ${plural(items, 'item')} on ${plural(days, 'day')}`}
      more={<TableButton isOpen={isTable} controls={id} className="as-table" toggle={() => setTable(!isTable)} />}
    >
      <div className="day-hours" role="img" aria-label={`Items by hour of the day. Most at ${nameOf(busiest)}.`}>
        {hours.map((count, hour) => (
          <span key={hour} title={`${nameOf(hour)}: ${formatCount(count)}`}>
            <span style={{ height: `${(count / most) * 100}%` }} />
          </span>
        ))}
      </div>
      <div className="day-hours-x dim" aria-hidden="true">
        {['00', '06', '12', '18', '24'].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
      {isTable && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus
        <div id={id} className="chart-table" tabIndex={0} role="region" aria-label="Items by hour">
          <table className="signals">
            <thead>
              <tr>
                <th scope="col">Hour</th>
                <th scope="col">Items</th>
              </tr>
            </thead>
            <tbody>
              {hours.map((count, hour) => (
                <tr key={hour}>
                  <th scope="row">{nameOf(hour)}</th>
                  <td className="num">{formatCount(count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
};
