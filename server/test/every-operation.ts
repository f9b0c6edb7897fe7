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
  message_id: unknownId('msg'),
  key_id: unknownId('key'),
  model_version: 'mdl_of_nobody',
  training_id: unknownId('trn'),
  rule_id: unknownId('rule'),
  list_id: 'nobodys',
  label_id: unknownId('lbl'),
  backtest_id: unknownId('bt'),
  user_id: 'nobody',
};

let rules = 0;
let lists = 0;
const BODIES: Partial<Record<OperationId, () => Record<string, unknown>>> = {
  trainModel: () => ({}),
  promoteModel: () => ({}),
  screenTransaction: () => payment(),
  screenEvent: () => login(),
  reviewDecision: () => ({ decision: 'block' }),
  resolveCase: () => ({ status: 'rejected' }),
  createWebhook: () => ({ url: 'https://receiver.invalid', events: ['case.created'] }),
  changeWebhook: () => ({ label: 'changed' }),
  createList: () => ({ name: `list_${lists++}` }),
  checkLists: () => ({ user_id: 'nobody' }),
  changeList: () => ({ description: 'changed' }),
  addListEntries: () => ({ entries: [{ kind: 'user', value: 'nobody' }] }),
  changePolicy: () => ({ points: { new_device: 9 } }),
  createRule: () => ({ name: `rule_${rules++}`, expression: 'amount > 1', action: { points: 1 } }),
  checkRule: () => ({ expression: 'amount > 1' }),
  changeRule: () => ({ description: 'changed' }),
  addLabel: () => ({ transaction_id: unknownId('txn'), label: 'fraud', source: 'chargeback' }),
  createBacktest: () => ({ policy: {} }),
  createApiKey: () => ({ role: 'reader' }),
};

const QUERIES: Partial<Record<OperationId, string>> = { removeListEntry: '?kind=user&value=nobody' };

export const pathOf = (operation: Operation, ids: Ids): string =>
  operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ''));

/** Makes a well-formed request to the operation. */
export const request = (service: Service, id: OperationId, ids: Ids, sent: Sent): Promise<Reply> => {
  const operation: Operation = operations[id];
  const body = BODIES[id]?.();
  const path = pathOf(operation, ids) + (QUERIES[id] ?? '');
  return service.call(operation.method, path, { ...(body === undefined ? {} : { body }), ...sent });
};
