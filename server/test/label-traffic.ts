import { type Labelled, makeRandom, type Subject } from '@portcullis/engine';
import { type StoredLabel, type StoredScreening, storedSubject } from './crash-store.ts';
import type { Client, Json } from './harness.ts';
import { type Step, saidOf } from './traffic.ts';

/** Says something of an item that was screened before, in one of the three ways there are. The same number says the same. */
export const say = async ({ post, put }: Client, items: readonly Json[], number: number): Promise<void> => {
  const random = makeRandom(number);
  const item = items[Math.floor(random() * items.length)];
  const isFraud = random() < 0.5;
  const way = Math.floor(random() * 3);
  if (way === 0) await post(`/v1/decisions/${item.decision_id}/review`, { decision: isFraud ? 'block' : 'allow' });
  // Refused when it is resolved already: then nothing is said.
  else if (way === 1 && item.case_id !== null)
    await put(`/v1/cases/${item.case_id}`, { status: isFraud ? 'rejected' : 'approved' });
  else {
    const { transaction_id, event_id } = item;
    const label = isFraud ? 'fraud' : 'legitimate';
    await post('/v1/labels', {
      ...(event_id === undefined ? { transaction_id } : { event_id }),
      label,
      source: 'test',
    });
  }
};

/** Sends the steps one after the other, moving the clock, and after every second one says something of an earlier item. */
export const playLabelled = async (
  api: Client,
  clock: { readonly advance: (ms: number) => void },
  steps: Iterable<Step>,
  items: Json[],
): Promise<unknown[]> => {
  const said: unknown[] = [];
  for (const { path, body, afterMs } of steps) {
    clock.advance(afterMs);
    const { json } = await api.post(path, body);
    items.push(json);
    said.push(saidOf(json));
    if (items.length % 2 === 0) await say(api, items, items.length);
  }
  return said;
};

/** What was screened and said, in its order. What a label takes back is worked out here anew, not taken from the store. */
export const historyOf = (
  screenings: readonly StoredScreening[],
  labels: readonly StoredLabel[],
): (Subject | Labelled)[] => {
  const hashes = new Map<number, Subject['hashes']>();
  const inForce = new Map<number, { fraud: boolean; at: number }>();
  const history: (Subject | Labelled)[] = [];
  const all = [...screenings, ...labels].sort((a, b) => a.seq - b.seq);
  for (const row of all) {
    if (!('label' in row)) {
      const subject = storedSubject(row);
      hashes.set(row.seq, subject.hashes);
      history.push(subject);
      continue;
    }
    const fraud = row.label === 'fraud';
    const before = inForce.get(row.screening_seq);
    if (before?.fraud === fraud) continue;
    const of = hashes.get(row.screening_seq) as Subject['hashes'];
    history.push({ type: 'label', hashes: of, fraud, at: row.labelled_at, insteadOf: before?.at });
    inForce.set(row.screening_seq, { fraud, at: row.labelled_at });
  }
  return history;
};
