import { type Operation, type OperationId, operations } from '@portcullis/contract';
import { login, payment, type Reply, type Sent, type Service, unknownId } from './harness.ts';

export const OPERATIONS = Object.entries(operations as Record<string, Operation>) as [OperationId, Operation][];

/** What stands in the path of an operation: ids of one tenant's resources. */
export type Ids = Readonly<Record<string, string>>;

/** Well-formed ids of nothing. */
export const NO_IDS: Ids = {
  transaction_id: unknownId('txn'),
  event_id: unknownId('evt'),
  decision_id: unknownId('dec'),
  case_id: unknownId('case'),
  webhook_id: unknownId('wh'),
  key_id: unknownId('key'),
  user_id: 'nobody',
};

const BODIES: Partial<Record<OperationId, () => Record<string, unknown>>> = {
  screenTransaction: () => payment(),
  screenEvent: () => login(),
  reviewDecision: () => ({ decision: 'block' }),
  resolveCase: () => ({ status: 'rejected' }),
  createWebhook: () => ({ url: 'https://example.com', events: ['case.created'] }),
  createApiKey: () => ({ role: 'reader' }),
};

export const pathOf = (operation: Operation, ids: Ids): string =>
  operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ''));

/** Makes a well-formed request to the operation. */
export const request = (service: Service, id: OperationId, ids: Ids, sent: Sent): Promise<Reply> => {
  const operation: Operation = operations[id];
  const body = BODIES[id]?.();
  return service.call(operation.method, pathOf(operation, ids), { ...(body === undefined ? {} : { body }), ...sent });
};
