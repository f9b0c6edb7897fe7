import type { IconName } from '../parts/icons.tsx';

/** A page of the navigation. `g` and its key lead to it. */
export interface NavPage {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  readonly key: string;
}
export const GROUPS: readonly { readonly title: string; readonly pages: readonly NavPage[] }[] = [
  {
    title: 'Work',
    pages: [
      { path: '/', title: 'Overview', icon: 'overview', key: 'o' },
      { path: '/cases', title: 'Cases', icon: 'cases', key: 'c' },
    ],
  },
];
export const PAGES: readonly NavPage[] = GROUPS.flatMap(({ pages }) => pages);
