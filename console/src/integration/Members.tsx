import { Card } from '../parts/Card.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatShare, plural } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { ENOUGH, MEMBERS } from './members.ts';
import { keyOf, useShares } from './use-shares.ts';

const Share = ({ value }: { value: number | undefined }) =>
  value === undefined ? (
    <span className="dim">–</span>
  ) : (
    <span className={`share ${value >= ENOUGH ? '' : 'is-low'}`}>
      <span className="share-bar" aria-hidden="true">
        <span style={{ width: `${value * 100}%` }} />
      </span>
      <span className="num">{formatShare(value)}</span>
    </span>
  );

/** Which members your requests carry, and what a missing one costs. */
export const Members = () => {
  const query = useShares();
  const { items, shares = {} } = query.data ?? {};
  return (
    <Card
      title="What you send"
      note={
        items === undefined
          ? 'Last 24 hours'
          : `Last 24 hours: ${plural(items.transaction, 'payment')}, ${plural(items.event, 'event')}`
      }
      more={<a href="/docs#op-screenTransaction">All fields</a>}
      className="members"
    >
      {query.data === undefined ? (
        query.isError ? (
          <Failed error={query.error} retry={() => void query.refetch()} />
        ) : (
          <Skeleton rows={5} height={26} />
        )
      ) : (
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Payments</th>
              <th scope="col">Events</th>
              <th scope="col">Without it</th>
            </tr>
          </thead>
          <tbody>
            {MEMBERS.map(({ name, on, signals, cost }) => (
              <tr key={name}>
                <td className="mono">{name}</td>
                <td data-name="Payments">
                  <Share value={shares[keyOf('transaction', name)]} />
                </td>
                <td data-name="Events">
                  {on.includes('event') ? (
                    <Share value={shares[keyOf('event', name)]} />
                  ) : (
                    <span className="dim">–</span>
                  )}
                </td>
                <td>
                  <details className="cost">
                    <summary>{plural(signals.length, 'signal')} never active</summary>
                    <p className="dim">{cost}</p>
                    <div className="chips">
                      {signals.map((signal) => (
                        <a key={signal} className="chip" href={`/docs/guides/signals#${signal}`}>
                          {signal}
                        </a>
                      ))}
                    </div>
                  </details>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
};
