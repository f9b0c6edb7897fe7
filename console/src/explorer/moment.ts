import { formatClock, formatDay } from '../parts/format.ts';

/** `17 Nov 02:14:31`, to the second. */
export const formatMoment = (time: string): string => `${formatDay(time)} ${formatClock(time)}`;
