import type { Facts } from '@portcullis/engine';
import type { KnowledgeSource } from '../server/src/knowledge/knowledge.ts';
import { type Item, makeItemReader } from '../server/src/offline/item-reader.ts';
import type { Serve } from './served.ts';
import type { Step } from './world/steps.ts';

/** Which labels a business reports: all, those of fraudulent payments, as with chargebacks, or none. */
export type Labelling = 'all' | 'fraud' | 'none';

export interface ReadOptions {
  readonly labelling: Labelling;
  /** Whether the business says why an item was fraud. */
  readonly givesReasons: boolean;
  readonly knowledge: KnowledgeSource;
}

/** An item with the tag of its step. */
export interface TaggedItem {
  readonly item: Item;
  readonly tag: string | undefined;
}

const labelFields = ({ fraud, fields }: Step, { labelling, givesReasons }: ReadOptions): Record<string, string> => {
  const isFraudPayment = fraud !== undefined && fields.kind === 'transaction';
  if (labelling === 'none' || (labelling === 'fraud' && !isFraudPayment)) return {};
  if (fraud === undefined) return { label: 'legitimate' };
  return { label: 'fraud', ...(givesReasons ? { label_reason: fraud } : {}) };
};

/** Reads steps as the service reads requests, in the order of time. The items can be replayed several times. */
export const readSteps = (steps: readonly Step[], options: ReadOptions): TaggedItem[] => {
  const read = makeItemReader({ warn: () => undefined, knowledge: options.knowledge });
  return steps
    .toSorted((a, b) => a.at - b.at)
    .map((step, i) => {
      const occurred_at = new Date(Math.round(step.at)).toISOString();
      const item = read({ line: i + 1, fields: { ...step.fields, ...labelFields(step, options), occurred_at } });
      // The reader reuses the looked-up facts for its next item.
      const subject = { ...item.subject, knowledge: item.subject.knowledge.slice() };
      return { item: { ...item, subject }, tag: step.tag };
    });
};

/** Merges two lists of items in the order of time. */
export const mergeItems = (a: readonly TaggedItem[], b: readonly TaggedItem[]): TaggedItem[] => {
  const merged: TaggedItem[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (right === undefined || (left !== undefined && left.item.subject.at <= right.item.subject.at)) {
      merged.push(left as TaggedItem);
      i++;
    } else {
      merged.push(right);
      j++;
    }
  }
  return merged;
};

/** Replays items into an empty history and shows the facts of those that have a tag. */
export const replay = (
  { startWalk }: Pick<Serve, 'startWalk'>,
  items: readonly TaggedItem[],
  labelDelayMs: number,
  onTagged: (tag: string, item: Item, facts: Facts) => void,
): void => {
  const walk = startWalk(labelDelayMs);
  for (const { item, tag } of items) {
    const facts = walk.factsOf(item);
    if (tag !== undefined) onTagged(tag, item, facts);
    walk.next(item);
  }
};
