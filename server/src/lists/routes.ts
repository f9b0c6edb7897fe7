import type { Lists } from '@portcullis/contract';
import type { Policy } from '@portcullis/engine';
import type { Route } from '../http/route.ts';

/** The lists that come with the policy. */
export const listRoutes = (route: Route, policy: Policy): void => {
  const lists: Lists = {
    lists: [
      {
        list_id: 'test_addresses',
        description: 'Addresses of TEST-NET-3 for trying the service out. They never occur on the real internet.',
        built_in: true,
        entries: Object.entries(policy.testAddresses).map(([ip_address, decision]) => ({ ip_address, decision })),
      },
    ],
  };
  route('listLists', async (call) => call.answer(lists));
};
