import type { IconName } from '../parts/icons.tsx';

/** A page of the navigation. `g` and its key lead to it, if it has one. */
export interface NavPage {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  readonly key?: string;
}
export const GROUPS: readonly { readonly title: string; readonly pages: readonly NavPage[] }[] = [
  {
    title: 'Work',
    pages: [
      { path: '/', title: 'Overview', icon: 'overview', key: 'o' },
      { path: '/cases', title: 'Cases', icon: 'cases', key: 'c' },
      { path: '/explorer', title: 'Explorer', icon: 'explorer', key: 'e' },
      { path: '/users', title: 'Users', icon: 'user', key: 'u' },
    ],
  },
  {
    title: 'Tune',
    pages: [
      { path: '/rules', title: 'Rules', icon: 'rules', key: 'r' },
      { path: '/lists', title: 'Lists', icon: 'lists', key: 'l' },
      { path: '/policy', title: 'Policy', icon: 'policy', key: 'p' },
      { path: '/models', title: 'Models', icon: 'models', key: 'm' },
      { path: '/backtests', title: 'Backtests', icon: 'backtests', key: 'b' },
    ],
  },
  {
    title: 'Connect',
    pages: [
      { path: '/webhooks', title: 'Webhooks', icon: 'webhooks', key: 'w' },
      { path: '/api-keys', title: 'API keys', icon: 'apiKeys', key: 'k' },
      { path: '/integration', title: 'Integration', icon: 'integration', key: 'i' },
    ],
  },
  {
    title: 'Admin',
    pages: [
      { path: '/people', title: 'People', icon: 'people' },
      { path: '/audit', title: 'Audit', icon: 'audit', key: 'a' },
      { path: '/settings', title: 'Settings', icon: 'settings', key: 's' },
    ],
  },
];
export const PAGES: readonly NavPage[] = GROUPS.flatMap(({ pages }) => pages);
