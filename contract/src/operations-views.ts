import { type Operation, operation } from './operation.ts';
import { MAX_OWN_VIEWS, MAX_SHARED_VIEWS, View, ViewChange, ViewList, ViewQuery, ViewRequest } from './view.ts';

const VIEW = { view_id: 'Returned when the view was saved.' };

/** Operations on saved views. */
export const viewsOperations = {
  listViews: operation({
    method: 'GET',
    path: '/v1/views',
    tag: 'Views',
    summary: 'List saved views',
    description: 'Your own views and those that others share.',
    permission: 'read',
    query: ViewQuery,
    status: 200,
    response: ViewList,
  }),
  createView: operation({
    method: 'POST',
    path: '/v1/views',
    tag: 'Views',
    summary: 'Save a view',
    description: `The view belongs to the person of the session, or to the API key. Each has at most ${MAX_OWN_VIEWS} views, of which an account shares at most ${MAX_SHARED_VIEWS} in an environment. A shared view also needs the permission \`review\`.`,
    permission: 'read',
    body: ViewRequest,
    status: 201,
    response: View,
    errors: ['limit_reached'],
  }),
  changeView: operation({
    method: 'PUT',
    path: '/v1/views/{view_id}',
    tag: 'Views',
    summary: 'Change a saved view',
    description:
      'Omitted fields keep their value. Views of others can be changed with the permission `administer`, if they are shared.',
    permission: 'read',
    params: VIEW,
    body: ViewChange,
    status: 200,
    response: View,
    errors: ['not_found', 'limit_reached'],
  }),
  deleteView: operation({
    method: 'DELETE',
    path: '/v1/views/{view_id}',
    tag: 'Views',
    summary: 'Delete a saved view',
    description: 'Views of others can be deleted with the permission `administer`, if they are shared.',
    permission: 'read',
    params: VIEW,
    status: 204,
    errors: ['not_found'],
  }),
} satisfies Record<string, Operation>;
