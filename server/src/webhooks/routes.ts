import type { Route } from '../http/route.ts';
import type { Webhooks } from './webhooks.ts';

export const webhookRoutes = (route: Route, webhooks: Webhooks): void => {
  route('createWebhook', webhooks.create, webhooks.urlFaults);
  route('listWebhooks', webhooks.list);
  route('deleteWebhook', webhooks.remove);
};
