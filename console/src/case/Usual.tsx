import type { Knowledge, Usual } from '@portcullis/client';
import type { ReactNode } from 'react';
import { Card } from '../parts/Card.tsx';
import { formatCountry, formatUsd, plural } from '../parts/format.ts';
import { isPayment, type Subject } from './subject.ts';

/** A range with the usual part and the value of now. */
const Strip = ({ from, to, at, max }: { from: number; to: number; at: number; max: number }) => {
  const place = (value: number): string => `${Math.min(100, (value / max) * 100)}%`;
  return (
    <span className="strip" aria-hidden="true">
      <span className="strip-usual" style={{ left: place(from), width: `max(6px, ${((to - from) / max) * 100}%)` }} />
      <span
        className={`strip-now ${at > to || at < from ? 'is-out' : ''}`}
        style={{ left: `min(${place(at)}, calc(100% - 4px))` }}
      />
    </span>
  );
};

const Fact = ({
  name,
  value,
  usual,
  children,
}: {
  name: string;
  value: ReactNode;
  usual: ReactNode;
  children?: ReactNode;
}) => (
  <div className="fact">
    <div className="fact-name">{name}</div>
    <div className="fact-line">
      <strong className="cut">{value}</strong>
      <span className="dim cut">{usual}</span>
    </div>
    {children}
  </div>
);

const Hours = ({ hours, hour }: { hours: readonly number[]; hour: number }) => {
  const most = Math.max(1, ...hours);
  return (
    <span className="hours" aria-hidden="true">
      {hours.map((count, at) => (
        <span
          key={at}
          className={at === hour ? 'is-now' : ''}
          style={{ height: `${Math.max(at === hour ? 22 : 8, (count / most) * 100)}%` }}
        />
      ))}
    </span>
  );
};

type Ranked = Usual['countries'];
const Known = ({
  name,
  value,
  among,
  show = (text) => text,
}: {
  name: string;
  value: string | null | undefined;
  among: Ranked;
  show?: (text: string) => string;
}) => {
  if (value == null) return null;
  const found = among.find((one) => one.value === value);
  const usual = among
    .slice(0, 2)
    .map((one) => show(one.value))
    .join(', ');
  return (
    <Fact
      name={name}
      value={show(value)}
      usual={
        found === undefined ? (
          <>
            <span className="badge badge-review">new</span> {usual === '' ? '' : `usually ${usual}`}
          </>
        ) : (
          <>{plural(found.items, 'time')} before</>
        )
      }
    />
  );
};

interface Props {
  readonly subject: Subject;
  readonly knowledge: Knowledge | null | undefined;
  readonly at: string;
  readonly amountUsd: number | null;
  /** Null if the user did nothing before; undefined if it cannot be read. */
  readonly usual: Usual | null | undefined;
}

/** This item beside what the user usually does. */
export const UsualCard = ({ subject, knowledge, at, amountUsd, usual: data }: Props) => {
  if (data == null)
    return (
      <Card title="Compared with the user’s usual activity">
        <p className="dim">
          {data === null
            ? 'This is the user’s first item, so there is nothing to compare it with.'
            : 'The user’s usual activity cannot be read at the moment. The page tries again every 15 seconds.'}
        </p>
      </Card>
    );
  const hour = new Date(at).getUTCHours();
  const amounts = data.amount_usd;
  const busiest = data.hours.reduce((best, count, index) => (count > (data.hours[best] ?? 0) ? index : best), 0);
  return (
    <Card
      title="Compared with the user’s usual activity"
      note={`${plural(data.items, 'item')} on ${plural(data.days, 'day')}`}
    >
      <div className="facts">
        {amountUsd !== null && amounts !== null && (
          <Fact
            name="Amount"
            value={formatUsd(amountUsd)}
            usual={`usually ${formatUsd(amounts.p10)} – ${formatUsd(amounts.p90)}`}
          >
            <Strip
              from={amounts.p10}
              to={amounts.p90}
              at={amountUsd}
              max={Math.max(amountUsd, amounts.max) * 1.08 || 1}
            />
          </Fact>
        )}
        <Fact
          name="Hour of day (UTC)"
          value={`${String(hour).padStart(2, '0')}:00`}
          usual={
            data.hours[hour] === 0
              ? 'never at this hour'
              : `${plural(data.hours[hour] ?? 0, 'time')} at this hour; most often at ${busiest}:00`
          }
        >
          <Hours hours={data.hours} hour={hour} />
        </Fact>
        <Known name="Country" value={knowledge?.country} among={data.countries} show={formatCountry} />
        <Known name="Network" value={knowledge?.network} among={data.networks} />
        <Known name="Device" value={knowledge?.device_id} among={data.devices} />
        {isPayment(subject) && (
          <>
            <Known name="Card" value={subject.payment_fingerprint} among={data.payment_fingerprints} />
            <Known name="Counterparty" value={subject.counterparty_id} among={data.counterparties} />
          </>
        )}
      </div>
    </Card>
  );
};
