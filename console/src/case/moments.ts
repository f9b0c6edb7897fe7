import type { TimelineEntry } from '@portcullis/client';

/** What people said about items, such as `3 labelled fraud`. */
export interface Mark {
  readonly text: string;
  readonly isBad: boolean;
  readonly count: number;
}
/** A line of the timeline: an item, or all that people said between two items. */
export type Moment =
  | { readonly key: string; readonly at: string; readonly entry: TimelineEntry; readonly marks: undefined }
  | { readonly key: string; readonly at: string; readonly entry: undefined; readonly marks: readonly Mark[] };

const markOf = ({ kind, label, decision }: TimelineEntry): Omit<Mark, 'count'> => {
  if (kind === 'label') return { text: `labelled ${label}`, isBad: label === 'fraud' };
  return decision === 'block' ? { text: 'rejected', isBad: true } : { text: 'approved', isBad: false };
};

/** Labels and reviews that follow each other become one line: an item is what somebody did, a label is a remark. */
export const momentsOf = (entries: readonly TimelineEntry[]): readonly Moment[] => {
  const moments: Moment[] = [];
  for (const entry of entries) {
    const key = `${entry.kind}${entry.subject_id}${entry.at}`;
    if (entry.screening !== null) {
      moments.push({ key, at: entry.at, entry, marks: undefined });
      continue;
    }
    const mark = markOf(entry);
    const before = moments.at(-1);
    if (before?.marks === undefined) {
      moments.push({ key, at: entry.at, entry: undefined, marks: [{ ...mark, count: 1 }] });
      continue;
    }
    const same = before.marks.find(({ text }) => text === mark.text);
    const marks =
      same === undefined
        ? [...before.marks, { ...mark, count: 1 }]
        : before.marks.map((one) => (one === same ? { ...one, count: one.count + 1 } : one));
    moments[moments.length - 1] = { ...before, marks };
  }
  return moments;
};
