import { useEffect } from 'react';
import { accountZone } from '../api/time-zone.ts';
import { useSettings } from './use-settings.ts';

/** Shows times in the zone of the account. Until somebody has set one, in that of the browser. */
export const AccountZone = () => {
  const settings = useSettings().data;
  useEffect(() => {
    if (settings !== undefined) accountZone.set(settings.updated_at === null ? 'browser' : settings.time_zone);
  }, [settings]);
  return null;
};
