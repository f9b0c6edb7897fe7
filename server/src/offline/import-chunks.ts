import { type LabelReason, MAX_IMPORT_ITEMS, writeTimestamp } from '@portcullis/contract';
import type { ImportRow } from './import-row.ts';

/** Items and labels of one request, and the line of each. */
export interface Chunk {
  readonly body: string;
  readonly lines: readonly number[];
}

const DAY_MS = 86_400_000;
/** Well below the limit of a request. */
const MAX_CHARACTERS = 300_000;
/** The clock of the service may be behind ours. */
const CLOCKS_MS = 60_000;

interface PendingLabel {
  readonly line: number;
  readonly id: string;
  readonly label: 'fraud' | 'legitimate';
  readonly reason: LabelReason | undefined;
}

/** Labels by the midnight at which they become known. */
const makePendingLabels = (labelDelayMs: number) => {
  const byDay = new Map<number, PendingLabel[]>();
  return {
    add: ({ line, id, at, label, reason, labelledAt }: ImportRow): void => {
      if (label === undefined) return;
      const day = Math.floor((labelledAt ?? at + labelDelayMs) / DAY_MS) + 1;
      const labels = byDay.get(day) ?? [];
      labels.push({ line, id, label, reason });
      byDay.set(day, labels);
    },
    /** Takes the labels that are known at a time, in order. */
    takeUntil: function* (time: number): Generator<PendingLabel & { readonly at: number }> {
      const due = [...byDay.keys()].filter((day) => day * DAY_MS <= time).sort((a, b) => a - b);
      for (const day of due) {
        for (const label of byDay.get(day) ?? []) yield { ...label, at: day * DAY_MS };
        byDay.delete(day);
      }
    },
  };
};

interface Entry {
  readonly line: number;
  readonly text: string;
}

const itemEntry = ({ line, id, at, kind, request }: ImportRow): Entry => ({
  line,
  text: JSON.stringify({ id, occurred_at: writeTimestamp(at), [kind]: request }),
});
const labelEntry = ({ line, id, label, reason }: PendingLabel, at: number): Entry => ({
  line,
  text: JSON.stringify({ id, occurred_at: writeTimestamp(at), label, label_reason: reason }),
});

/**
 * Items in the order of the file, and their labels between them. A label becomes known `labelDelayMs` after its item, or at
 * its own time, and is sent before the first item of the following day: labels of one day share a request.
 */
async function* entriesOf(
  rows: AsyncIterable<ImportRow>,
  { labelDelayMs, now }: { readonly labelDelayMs: number; readonly now: number },
): AsyncGenerator<Entry> {
  const pending = makePendingLabels(labelDelayMs);
  let day = Number.NEGATIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  for await (const row of rows) {
    const today = Math.floor(row.at / DAY_MS);
    if (today > day) for (const label of pending.takeUntil(today * DAY_MS)) yield labelEntry(label, label.at);
    [day, latest] = [today, row.at];
    pending.add(row);
    yield itemEntry(row);
  }
  // The file knows the labels that are left, so they are known now.
  const end = Math.max(latest, now - CLOCKS_MS);
  for (const label of pending.takeUntil(Number.POSITIVE_INFINITY)) yield labelEntry(label, Math.min(label.at, end));
}

/** Splits the entries of a file into requests. */
export async function* readChunks(
  rows: AsyncIterable<ImportRow>,
  options: { readonly labelDelayMs: number; readonly now: number },
): AsyncGenerator<Chunk> {
  let entries: Entry[] = [];
  let characters = 0;
  const take = (): Chunk => {
    const chunk = {
      body: `{"items":[${entries.map(({ text }) => text).join(',')}]}`,
      lines: entries.map(({ line }) => line),
    };
    entries = [];
    characters = 0;
    return chunk;
  };
  for await (const entry of entriesOf(rows, options)) {
    const isFull = entries.length === MAX_IMPORT_ITEMS || characters + entry.text.length > MAX_CHARACTERS;
    if (isFull && entries.length > 0) yield take();
    entries.push(entry);
    characters += entry.text.length;
  }
  if (entries.length > 0) yield take();
}
