import type { Delivery, Webhook } from '@portcullis/client';
import { Icon } from '../parts/icons.tsx';
import { Ago } from '../parts/Time.tsx';
import { type Health, HOURS } from './health.ts';
import { STATUS_WORDS } from './types.ts';

const LOOKS = {
  delivered: ['badge-approved', 'check'],
  owed: ['badge-open', 'clock'],
  failed: ['badge-rejected', 'cross'],
} as const;

export const DeliveryStatus = ({ status }: { status: Delivery['status'] }) => {
  const [look, icon] = LOOKS[status];
  return (
    <span className={`badge ${look}`}>
      <Icon name={icon} size={13} />
      {STATUS_WORDS[status]}
    </span>
  );
};

export const EndpointStatus = ({ webhook }: { webhook: Webhook }) => {
  if (webhook.status === 'disabled') return <span className="badge badge-expired">Disabled</span>;
  if (webhook.failing_since === null) return <span className="badge badge-approved">Enabled</span>;
  return (
    <span className="badge badge-rejected">
      <Icon name="alert" size={13} />
      <span>
        Failing for <Ago at={webhook.failing_since} />
      </span>
    </span>
  );
};

/** A bar for each of the last 24 hours. The deliveries below are the same as a table. */
export const HealthStrip = ({ health }: { health: Health | undefined }) => (
  <span
    className="hours"
    role="img"
    aria-label={health === undefined ? 'Loading' : `Last ${HOURS} hours: ${health.words}`}
  >
    {(health?.hours ?? Array.from({ length: HOURS }, () => 'none')).map((state, hour) => (
      <span key={hour} className={`is-${state}`} />
    ))}
  </span>
);
