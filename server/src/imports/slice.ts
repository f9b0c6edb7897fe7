import {
  decide,
  FACTS_VERSION,
  type IdentitiesOf,
  makeKnowledge,
  packFacts,
  packVerdict,
  type Subject,
  subjectOf,
  type Verdict,
} from '@portcullis/engine';
import { type Backend, type Statement, Unavailable } from '../backend/backend.ts';
import type { Counters, PastItem, SliceWrites } from '../backend/counters.ts';
import type { ScreeningRow } from '../backend/journal.ts';
import { applyDevice, readDevice } from '../devices/devices.ts';
import type { Caller } from '../http/caller.ts';
import type { KnowledgeSource } from '../knowledge/knowledge.ts';
import type { Labels } from '../labels/labels.ts';
import type { Lists } from '../lists/lists.ts';
import type { Policies } from '../policies/policies.ts';
import { type NewId, seqOf } from '../runtime/ids.ts';
import { insertScreening, screeningRows } from '../screening/screen.ts';
import type { Sent, SentItem, SentLabel } from './read-items.ts';
import { addToImports, confirmImports, insertImported } from './store.ts';

export interface SliceDeps {
  readonly backend: Backend;
  readonly counters: Counters;
  readonly identities: IdentitiesOf;
  readonly knowledge: KnowledgeSource;
  readonly labels: Pick<Labels, 'labelledAmong' | 'past'>;
  readonly lists: Pick<Lists, 'matching'>;
  readonly policies: Pick<Policies, 'of'>;
  readonly hasRoom: () => boolean;
  readonly newId: NewId;
  readonly clock: () => number;
}

/** The item at its own time. Addresses and e-mail domains are looked up in the tables of today. */
const subjectFor = ({ knowledge, identities }: SliceDeps, tenant: number, item: SentItem): Subject => {
  const { type, request, at } = item;
  const known = makeKnowledge();
  knowledge.lookUp(request, known);
  const device = request.device_token === undefined ? undefined : readDevice(request.device_token);
  if (device !== undefined) applyDevice(device, request, known, at);
  return subjectOf(identities(tenant), type, request, at, known, true);
};

const writesOf = (
  { backend }: SliceDeps,
  tenant: number,
  items: number,
  numbers: readonly number[],
  statements: () => readonly Statement[],
): SliceWrites => {
  const [first, last] = [numbers[0] as number, numbers.at(-1) as number];
  return {
    store: (isCounted) =>
      backend.write([addToImports(tenant, items, isCounted ? 0 : first, isCounted ? 0 : last), ...statements()]),
    confirm: () => backend.write([confirmImports(tenant, last)]),
  };
};

/** Decides, counts and stores past items, one after the other. Fills in their numbers. */
const importItems = async (
  deps: SliceDeps,
  tenant: number,
  items: readonly SentItem[],
  numbers: Map<string, number>,
): Promise<void> => {
  const { counters, policies, lists, newId } = deps;
  const subjects = items.map((item) => subjectFor(deps, tenant, item));
  const policy = policies.of(tenant);
  const statements: Statement[] = [];
  // Numbered when they are counted, with no await between: on one machine the order of numbers is that of storing.
  const past = subjects.map((subject, i): PastItem => {
    const { key, content } = items[i] as SentItem;
    const id = newId();
    const seq = seqOf(id);
    numbers.set(key, seq);
    const decideItem: PastItem['decide'] = (facts): Verdict => {
      const verdict = decide(policy, subject, facts, lists.matching(tenant, subject));
      const row: ScreeningRow = {
        id,
        type: subject.type,
        screened_at: subject.at,
        request: JSON.stringify(subject.request),
        verdict: packVerdict(verdict),
        ruleset_version: policy.version,
        facts_version: FACTS_VERSION,
        facts: packFacts(facts),
        imported: 1,
      };
      statements.push(insertScreening(tenant, row), insertImported(tenant, { key, content, screening_seq: seq }));
      return verdict;
    };
    return { subject, seq, decide: decideItem };
  });
  const seqs = past.map(({ seq }) => seq);
  await counters.countPast(
    tenant,
    past,
    writesOf(deps, tenant, past.length, seqs, () => statements),
  );
};

/** Adds the labels of items that have none. Returns how many. */
const importLabels = async (
  deps: SliceDeps,
  caller: Caller,
  sent: readonly SentLabel[],
  numbers: ReadonlyMap<string, number>,
): Promise<number> => {
  const { backend, counters, labels } = deps;
  const { tenant } = caller;
  const byNumber = new Map<number, SentLabel>();
  for (const label of sent) {
    const number = numbers.get(label.key) as number;
    if (!byNumber.has(number)) byNumber.set(number, label);
  }
  for (const number of await labels.labelledAmong(tenant, [...byNumber.keys()])) byNumber.delete(number);
  if (byNumber.size === 0) return 0;
  const rows = new Map((await screeningRows(backend, tenant, [...byNumber.keys()])).map((row) => [seqOf(row.id), row]));
  const requests = [...byNumber].flatMap(([number, { label, reason, at }]) => {
    const screening = rows.get(number);
    return screening === undefined ? [] : [{ screening, label, reason, at }];
  });
  if (requests.length === 0) return 0;
  const made = labels.past(caller, requests);
  const seqs = made.map(({ past }) => past.seq);
  await counters.labelPast(
    tenant,
    made.map(({ past }) => past),
    writesOf(deps, tenant, 0, seqs, () => made.map(({ insert }) => insert)),
  );
  return made.length;
};

/** Imports entries of one kind. Returns the number of labels that were added. */
export const importSlice = async (
  deps: SliceDeps,
  caller: Caller,
  slice: readonly Sent[],
  numbers: Map<string, number>,
): Promise<number> => {
  if (!deps.hasRoom()) throw new Unavailable('too many writes are waiting');
  const items = slice.filter((entry) => entry.kind === 'item');
  const labels = slice.filter((entry) => entry.kind === 'label');
  if (items.length > 0) await importItems(deps, caller.tenant, items, numbers);
  return labels.length === 0 ? 0 : importLabels(deps, caller, labels, numbers);
};
