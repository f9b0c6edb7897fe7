import {
  type Grouping,
  type ScreeningFilter,
  type ScreeningGroup,
  type ScreeningGroupList,
  writeTimestamp,
} from '@portcullis/contract';
import { screeningsByNumber } from '../backend/journal-by-number.ts';
import type { Answer, Call } from '../http/route.ts';
import { timeOfSeq } from '../runtime/ids.ts';
import { FIGURES, type Figures, roundSum } from './figures.ts';
import { PERSONAL_FILTERS, refusePersonal, requirePersonal } from './filter.ts';
import { nameIn } from './names.ts';
import { prepareSearch, type SearchDeps } from './prepare-search.ts';
import { lastCandidate, matching } from './query-store.ts';
import { DAY_MS, HOUR_MS } from './range.ts';
import { type EntityTerm, placeOf } from './terms.ts';

const DEFAULT_LIMIT = 20;
/** Items that are counted, at most: one read within the time of a search. */
const COUNTED = 50_000;

/** Groups by the time of the screening. */
const STEPS: Partial<Record<Grouping, number>> = { hour: HOUR_MS, day: DAY_MS };

const ENTITIES: Partial<Record<Grouping, EntityTerm>> = {
  user_id: 'user',
  device: 'device',
  ip_address: 'ip',
  network: 'network',
  email: 'email',
  payment_fingerprint: 'fingerprint',
  counterparty_id: 'counterparty',
};
/** Groups that would list the addresses, devices, e-mail addresses or cards that people use. */
const PERSONAL: readonly Grouping[] = ['device', ...PERSONAL_FILTERS.filter((name) => name in ENTITIES)] as Grouping[];

interface GroupRow extends Figures {
  /** The value, the begin of an hour or a day, or the bytes of the entity's term. */
  readonly value: string | number | Uint8Array | null;
  readonly at: number;
  readonly seq: number;
}

const hasEntity = (term: Uint8Array): boolean => term.some((byte) => byte !== 0);

/** The values of groups. That of an entity is read from a screening of the group. */
const valuesOf = async (
  { backend }: SearchDeps,
  { caller: { tenant }, tagOf }: Call<'groupScreenings'>,
  rows: readonly GroupRow[],
  entity: EntityTerm | undefined,
): Promise<(string | null)[]> => {
  if (entity === undefined)
    return rows.map(({ value }) => (typeof value === 'number' ? writeTimestamp(value) : (value as string | null)));
  const named = rows.filter(({ value }) => hasEntity(value as Uint8Array)).map(({ seq }) => seq);
  const screenings = await screeningsByNumber(backend, tenant, named);
  return rows.map(({ seq }) => {
    const row = screenings.get(seq);
    return row === undefined ? null : (nameIn(row, entity, tagOf) ?? null);
  });
};

const toGroup = (row: GroupRow, value: string | null): ScreeningGroup => ({
  value,
  items: row.items,
  amount_usd: roundSum(row.usd),
  review: row.review,
  block: row.block,
  fraud: row.fraud,
  last_seen_at: writeTimestamp(row.at),
});

const valueIn = (by: Grouping): string => {
  const [entity, step] = [ENTITIES[by], STEPS[by]];
  if (entity !== undefined) return placeOf(entity);
  return step === undefined ? `i.${by}` : `i.at - i.at % ${step}`;
};

export const groupScreenings = async (deps: SearchDeps, call: Call<'groupScreenings'>): Promise<Answer> => {
  const { by, limit = DEFAULT_LIMIT, ...filters } = call.query;
  const { tenant, permissions } = call.caller;
  refusePersonal(filters as ScreeningFilter, permissions);
  if (PERSONAL.includes(by)) requirePersonal(`To group by ${by}`, permissions);
  const { filter, range, as_of } = await prepareSearch(deps, call.caller, filters);
  const entity = ENTITIES[by];
  const { text, params } = matching(tenant, filter, range, COUNTED);
  const rows = await deps.search.readLong<GroupRow>(
    tenant,
    `SELECT ${valueIn(by)} AS value, ${FIGURES}, MAX(i.at) AS at, MAX(i.seq) AS seq
      ${text} GROUP BY 1 ORDER BY items DESC, seq DESC LIMIT ?`,
    ...params,
    limit + 1,
  );
  const last = await lastCandidate(deps.search, tenant, filter, range, COUNTED + 1);
  const shown = rows.slice(0, limit);
  const values = await valuesOf(deps, call, shown, entity);
  const list: ScreeningGroupList = {
    groups: shown.map((row, at) => toGroup(row, values[at] ?? null)),
    cut: rows.length > limit,
    looked_back_to: last === undefined ? null : writeTimestamp(timeOfSeq(last)),
    as_of,
  };
  return call.answer(list);
};
