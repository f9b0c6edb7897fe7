import type { Delivery } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { type Health, HOUR_MS, HOURS, healthOf, MOST } from './health.ts';

/** Deliveries of the last 24 hours, by hour. */
export const useHealth = (webhookId: string): Health | undefined => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({
    queryKey: [environment, 'webhook', webhookId, 'health'],
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const from = new Date(now - HOURS * HOUR_MS).toISOString();
      const read = async (status: Delivery['status']) =>
        (await client.webhooks.listDeliveries(webhookId, { status, from, limit: MOST }, { signal })).deliveries;
      const [failed, owed, delivered] = await Promise.all([read('failed'), read('owed'), read('delivered')]);
      return healthOf({ failed, owed, delivered }, now);
    },
    refetchInterval: 30_000,
  }).data;
};
