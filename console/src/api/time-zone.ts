import { setTimeZone } from '../parts/format.ts';
import { makeKept, makeStore } from './store.ts';

const BROWSER = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The choice of the person in this browser: `account`, `browser`, or a zone. */
export const ownZone = makeKept('time-zone', 'account');
/** The zone of the account, remembered so that the first paint shows it. `browser` until the account has one. */
export const accountZone = makeKept('account-time-zone', 'browser');

const zoneOf = (choice: string): string => (choice === 'browser' ? BROWSER : choice);
const chosen = (): string => zoneOf(ownZone.get() === 'account' ? accountZone.get() : ownZone.get());

/** The zone in which times are shown. */
export const timeZone = makeStore(chosen());
setTimeZone(timeZone.get());

const update = (): void => {
  const zone = chosen();
  setTimeZone(zone);
  timeZone.set(zone);
};
ownZone.subscribe(update);
accountZone.subscribe(update);
