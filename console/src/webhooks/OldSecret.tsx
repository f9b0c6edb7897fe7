import { formatDayTime, formatDuration } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Time, useNow } from '../parts/Time.tsx';

const TICK_MS = 1000;

/** How long the secret before the last rotation still signs. Nothing once it has ended. */
export const OldSecret = ({ until }: { until: string }) => {
  const left = Date.parse(until) - useNow(TICK_MS);
  if (left <= 0) return null;
  return (
    <p className="old-secret">
      <Icon name="clock" size={15} />
      <span>
        The old signing secret is valid for another <strong className="num">{formatDuration(left)}</strong>, until{' '}
        <Time at={until} as={formatDayTime} />. Give your receiver the new one before that.
      </span>
    </p>
  );
};
