import type { Backend } from '../backend/backend.ts';
import { NO_USER } from '../backend/erased-request.ts';
import { erasedAmong } from '../backend/journal-by-number.ts';
import { bodiesAfter, type DeliveryBody, replaceBody } from './delivery-store.ts';

const PAGE = 200;

/** The parts of a message that name a person: a screening result, a case or a decision. */
interface Message {
  readonly data: {
    user_id?: string;
    notes?: string | null;
    reviews?: { notes: string | null }[];
    readonly transaction_id?: string;
    readonly event_id?: string;
    readonly decision_id?: string;
  };
}

/** A screening, its decision and its case have one id with different prefixes. */
const idIn = ({ transaction_id, event_id, decision_id }: Message['data']): string | undefined =>
  (transaction_id ?? event_id ?? decision_id)?.split('_').at(-1);

const withoutPerson = (body: string): string => {
  const message = JSON.parse(body) as Message;
  const { data } = message;
  data.user_id = NO_USER;
  if (data.notes !== undefined) data.notes = null;
  for (const review of data.reviews ?? []) review.notes = null;
  return JSON.stringify(message);
};

/** Takes these users out of the messages about erased screenings. Returns how many messages changed. */
export const eraseDeliveries = async (backend: Backend, tenant: number, users: readonly string[]): Promise<number> => {
  const named = users.map((user) => `"user_id":${JSON.stringify(user)}`);
  let count = 0;
  for (let after: Pick<DeliveryBody, 'webhook_id' | 'message_id'> = { webhook_id: '', message_id: '' }; ; ) {
    const { rows, hasMore } = await bodiesAfter(backend, tenant, after, PAGE);
    const found = rows.flatMap((row) => {
      if (!named.some((text) => row.body.includes(text))) return [];
      const id = idIn((JSON.parse(row.body) as Message).data);
      return id === undefined ? [] : [{ row, id }];
    });
    const erased = await erasedAmong(
      backend,
      tenant,
      found.map(({ id }) => id),
    );
    const changed = found.filter(({ id }) => erased.has(id));
    if (changed.length > 0)
      await backend.write(changed.map(({ row }) => replaceBody(tenant, { ...row, body: withoutPerson(row.body) })));
    count += changed.length;
    if (!hasMore) return count;
    after = rows.at(-1) as DeliveryBody;
  }
};
