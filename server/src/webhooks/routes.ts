import type { Route } from '../http/route.ts';
import type { DeliveryLog } from './delivery-log.ts';
import type { Webhooks } from './webhooks.ts';

export const webhookRoutes = (route: Route, webhooks: Webhooks, deliveryLog: DeliveryLog): void => {
  route('createWebhook', webhooks.create, webhooks.urlFaults);
  route('listWebhooks', webhooks.list);
  route('getWebhook', webhooks.get);
  route('changeWebhook', webhooks.change, webhooks.urlFaults);
  route('rotateWebhookSecret', webhooks.rotateSecret);
  route('deleteWebhook', webhooks.remove);
  route('testWebhook', deliveryLog.test);
  route('listDeliveries', deliveryLog.list);
  route('retryDelivery', deliveryLog.retry);
};
