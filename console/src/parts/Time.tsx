import { useEffect, useState } from 'react';
import { formatDuration, formatTime, formatUtc } from './format.ts';

const TICK_MS = 20_000;

/** The time now, which moves on while the page is open. */
export const useNow = (everyMs = TICK_MS): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
};

/** A time in the zone of the console; UTC, too, on hover. */
export const Time = ({ at, as = formatTime }: { at: string; as?: (time: string) => string }) => (
  <time dateTime={at} title={`${formatTime(at)} here · ${formatUtc(at)}`}>
    {as(at)}
  </time>
);

export const Ago = ({ at }: { at: string }) => {
  const now = useNow();
  return <Time at={at} as={(time) => formatDuration(Math.max(0, now - Date.parse(time)))} />;
};
