import {
  type HitKind,
  isIp,
  isNetwork,
  networkOf,
  normalizeIp,
  normalizeNetwork,
  type SearchHit,
  type SearchResult,
  writeTimestamp,
} from '@portcullis/contract';
import { deviceId, mailboxOf, unpackOutcome } from '@portcullis/engine';
import type { ScreeningRow } from '../backend/journal.ts';
import { screeningsByNumber } from '../backend/journal-by-number.ts';
import { deviceListValue } from '../devices/devices.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf } from '../runtime/ids.ts';
import { subjectIdOf } from './list.ts';
import { nameIn } from './names.ts';
import { prepareSearch, type SearchDeps } from './prepare-search.ts';
import type { ItemRange } from './query-store.ts';
import { type EntityTerm, entityTerm } from './terms.ts';
import { countItems } from './user-store.ts';

/** Screenings of a value that are counted, at most. */
const COUNTED = 1000;

interface Meaning {
  readonly kind: HitKind;
  readonly entity: EntityTerm;
  readonly name: string;
}

/** What a text with this form can mean for those who may see personal data. */
const personalMeanings = (text: string): Meaning[] => {
  const device = deviceListValue(text);
  const meanings: Meaning[] = [{ kind: 'payment_fingerprint', entity: 'fingerprint', name: text }];
  if (device !== undefined) meanings.push({ kind: 'device', entity: 'device', name: deviceId(device) });
  if (/^[^\s@]+@[^\s@]+$/.test(text))
    meanings.push({ kind: 'email', entity: 'email', name: mailboxOf(text.toLowerCase()) });
  if (isIp(text)) {
    const ip = normalizeIp(text);
    meanings.push({ kind: 'ip_address', entity: 'ip', name: ip });
    meanings.push({ kind: 'network', entity: 'network', name: networkOf(ip) });
  } else if (isNetwork(text)) {
    const counted = networkOf(normalizeIp(text.split('/')[0] as string));
    if (normalizeNetwork(text) === normalizeNetwork(counted))
      meanings.push({ kind: 'network', entity: 'network', name: counted });
  }
  return meanings;
};
const meaningsOf = (text: string, seesPersonal: boolean): Meaning[] => [
  { kind: 'user', entity: 'user', name: text },
  ...(seesPersonal ? personalMeanings(text) : []),
  { kind: 'counterparty', entity: 'counterparty', name: text },
];

/** The hit of a meaning; undefined if no screening has this value. */
const hitOf = async (
  { backend, search, identities }: SearchDeps,
  { caller: { tenant }, tagOf }: Call<'search'>,
  { kind, entity, name }: Meaning,
  range: ItemRange,
): Promise<SearchHit | undefined> => {
  const term = entityTerm(identities, tenant, entity, name);
  const found = await countItems(search, { tenant, term, range, limit: COUNTED });
  if (found === undefined) return undefined;
  const row = (await screeningsByNumber(backend, tenant, [found.seq])).get(found.seq);
  // Two values may have the same term, however unlikely.
  if (row === undefined || nameIn(row, entity, tagOf) !== name) return undefined;
  return {
    kind,
    id: name,
    items: found.items,
    last_seen_at: writeTimestamp(row.screened_at),
    subject_id: subjectIdOf(row),
  };
};

/** Whether a screening has the resource of this kind, which shares its id. */
const HAS: Readonly<Record<'transaction' | 'event' | 'decision' | 'case', (row: ScreeningRow) => boolean>> = {
  transaction: ({ type }) => type === 'transaction',
  event: ({ type }) => type === 'event',
  decision: () => true,
  case: ({ verdict }) => unpackOutcome(verdict).decision === 'review',
};
const ID_KINDS = Object.keys(HAS) as (keyof typeof HAS)[];

/** The resource whose id the text is. */
const resourceHit = async ({ findScreening }: SearchDeps, tenant: number, text: string): Promise<SearchHit[]> => {
  for (const kind of ID_KINDS) {
    const id = idOf(kind, text);
    const row = id === undefined ? undefined : await findScreening(tenant, id);
    if (row === undefined || !HAS[kind](row)) continue;
    return [{ kind, id: text, items: 1, last_seen_at: writeTimestamp(row.screened_at), subject_id: subjectIdOf(row) }];
  }
  return [];
};

export const searchByValue = async (deps: SearchDeps, call: Call<'search'>): Promise<Answer> => {
  const { tenant, permissions } = call.caller;
  const text = call.query.q.trim();
  const { range, as_of } = await prepareSearch(deps, call.caller, {});
  const meanings = text === '' ? [] : meaningsOf(text, permissions.includes('read_personal'));
  const [resources, ...values] = await Promise.all([
    resourceHit(deps, tenant, text),
    ...meanings.map((meaning) => hitOf(deps, call, meaning, range)),
  ]);
  const result: SearchResult = { hits: [...resources, ...values.filter((hit) => hit !== undefined)], as_of };
  return call.answer(result);
};
