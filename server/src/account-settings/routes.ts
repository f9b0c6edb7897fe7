import type { Route } from '../http/route.ts';
import type { AccountSettingsOf } from './account-settings.ts';

export const accountSettingsRoutes = (route: Route, settings: AccountSettingsOf): void => {
  route('getSettings', settings.get);
  route('changeSettings', settings.change);
};
