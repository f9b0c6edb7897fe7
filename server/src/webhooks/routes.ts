import type { Route } from '../http/route.ts';
import type { DeliveryRoutes } from './delivery-routes.ts';
import type { Webhooks } from './webhooks.ts';

export const webhookRoutes = (route: Route, webhooks: Webhooks, deliveryRoutes: DeliveryRoutes): void => {
  route('createWebhook', webhooks.create, webhooks.urlErrors);
  route('listWebhooks', webhooks.list);
  route('getWebhook', webhooks.get);
  route('changeWebhook', webhooks.change, webhooks.urlErrors);
  route('rotateWebhookSecret', webhooks.rotateSecret);
  route('deleteWebhook', webhooks.remove);
  route('testWebhook', deliveryRoutes.test);
  route('listDeliveries', deliveryRoutes.list);
  route('getDelivery', deliveryRoutes.get);
  route('retryDeliveries', deliveryRoutes.retryAll);
  route('retryDelivery', deliveryRoutes.retry);
};
