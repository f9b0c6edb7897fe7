import { ENTITY_KINDS, Entity } from './entity.ts';
import { LinkQuery, Links } from './links.ts';
import { type Operation, operation } from './operation.ts';
import { ScreeningList, ScreeningQuery } from './screening.ts';
import { ExportedScreening, ScreeningExportQuery } from './screening-export.ts';
import { ScreeningGroupList, ScreeningGroupQuery } from './screening-groups.ts';
import { SearchQuery, SearchResult } from './search.ts';
import { Series, SeriesQuery } from './series.ts';
import { Timeline, TimelineQuery } from './timeline.ts';
import { UserList, UserQuery } from './user-list.ts';
import { Usual, UsualQuery } from './usual.ts';

const PERSONAL =
  'Filters by address, network, device, e-mail, payment fingerprint and text need the permission `read_personal` as well.';

const USER = { user_id: 'Your identifier of the user.' };

export const searchOperations = {
  listScreenings: operation({
    method: 'GET',
    path: '/v1/screenings',
    tag: 'Screenings',
    summary: 'Search screened transactions and events',
    description:
      'Newest first. All filters must match. Values are compared as screening compares them: an `email` also finds other spellings of the same mailbox. ' +
      `${PERSONAL}\n\n` +
      'Search is written shortly after each screening: `as_of` says up to when it is complete. Items are kept for 90 days.',
    permission: 'read',
    query: ScreeningQuery,
    status: 200,
    response: ScreeningList,
    pages: { items: 'screenings', next: 'next_before' },
  }),
  groupScreenings: operation({
    method: 'GET',
    path: '/v1/screenings/groups',
    tag: 'Screenings',
    summary: 'Group screened transactions and events',
    description:
      'Counts the items that match, by one of their values. The newest 50,000 items are counted at most; `looked_back_to` says if there were more. ' +
      `${PERSONAL} So do groups by them.`,
    permission: 'read',
    query: ScreeningGroupQuery,
    status: 200,
    response: ScreeningGroupList,
  }),
  exportScreenings: operation({
    method: 'GET',
    path: '/v1/screenings/export',
    tag: 'Screenings',
    summary: 'Export screened transactions and events',
    description:
      'The items that match, newest first, as a file: CSV with a header, or one JSON object per line. At most 100,000 rows: continue with `before`. ' +
      'A text in CSV that a spreadsheet would run as a formula begins with an apostrophe. If the export fails on its way, the connection is closed before the end of the response.',
    permission: 'read_personal',
    query: ScreeningExportQuery,
    status: 200,
    response: ExportedScreening,
    streams: { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' },
  }),
  search: operation({
    method: 'GET',
    path: '/v1/search',
    tag: 'Screenings',
    summary: 'Find anything by its id or value',
    description:
      'Answers everything that the text may be: an id of the service, an address, an e-mail address, or your id of a user, device, payment instrument or payee. ' +
      'Addresses, networks, devices, e-mail addresses and payment instruments are found only with the permission `read_personal`.',
    permission: 'read',
    query: SearchQuery,
    status: 200,
    response: SearchResult,
  }),
  listUsers: operation({
    method: 'GET',
    path: '/v1/users',
    tag: 'Users',
    summary: 'List users by their newest activity',
    description: 'Users with an item of the last 90 days that matches all filters, or whose id begins with `q`.',
    permission: 'read',
    query: UserQuery,
    status: 200,
    response: UserList,
    pages: { items: 'users', next: 'next_before' },
  }),
  listTimeline: operation({
    method: 'GET',
    path: '/v1/users/{user_id}/timeline',
    tag: 'Users',
    summary: 'List what a user did and what was decided about it',
    description:
      'Transactions, events, labels and reviews of the last 90 days. `from` and `until` are times of the items.',
    permission: 'read_personal',
    params: USER,
    query: TimelineQuery,
    status: 200,
    response: Timeline,
    pages: { items: 'entries', next: 'next_before' },
    errors: ['not_found'],
  }),
  getUsual: operation({
    method: 'GET',
    path: '/v1/users/{user_id}/usual',
    tag: 'Users',
    summary: 'Get what is usual for a user',
    description:
      'Amounts, hours, countries, devices, networks and payees of the newest 500 items, to compare a suspicious item with: set `until` to its time.',
    permission: 'read_personal',
    params: USER,
    query: UsualQuery,
    status: 200,
    response: Usual,
    errors: ['not_found'],
  }),
  getSeries: operation({
    method: 'GET',
    path: '/v1/users/{user_id}/series',
    tag: 'Users',
    summary: 'Get the activity of a user over time',
    description: 'Items, amounts and scores of each hour or day, of the last 30 days unless `from` says otherwise.',
    permission: 'read',
    params: USER,
    query: SeriesQuery,
    status: 200,
    response: Series,
    errors: ['not_found'],
  }),
  getLinks: operation({
    method: 'GET',
    path: '/v1/links',
    tag: 'Links',
    summary: 'Get the users and values that an entity is linked to',
    description:
      'Users are linked through the devices, addresses, e-mail addresses, payment instruments and payees that they share. A search of a quarter of a second, which reads the newest 300 items of each node. `cut` says what was left out.',
    permission: 'read_personal',
    query: LinkQuery,
    status: 200,
    response: Links,
  }),
  getEntity: operation({
    method: 'GET',
    path: '/v1/entities/{kind}/{value}',
    tag: 'Links',
    summary: 'Get a user, device, address, e-mail address, payment instrument or payee in figures',
    description:
      'How often and by how many users it was used, what was decided, what the service knows of it, and the lists it is on. The value is compared as screening compares it.',
    permission: 'read_personal',
    params: {
      kind: `One of ${ENTITY_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
      value: 'The value, percent-encoded.',
    },
    status: 200,
    response: Entity,
    errors: ['not_found'],
  }),
} satisfies Record<string, Operation>;
