import type { ErasureCounts, EventRequest, ListKind, TransactionRequest } from '@portcullis/contract';
import { DETAILED_KINDS, type EntityKind, kindIndex, mailboxOf, unpackOutcome } from '@portcullis/engine';
import type { Statement } from '../backend/backend.ts';
import type { EntityIdentity } from '../backend/counters.ts';
import { isErased } from '../backend/erased-request.ts';
import type { StoredScreening } from '../backend/journal.ts';
import { storedByNumber } from '../backend/journal-by-number.ts';
import { eraseAttackLink, eraseCase } from '../cases/erase.ts';
import { eraseLabels } from '../labels/erase.ts';
import type { MetadataValue } from '../models/erase.ts';
import { eraseReviews, reviewsOf } from '../reviews/erase.ts';
import { eraseScreening } from '../screening/erase.ts';
import { maskedRequest } from '../subjects/subjects.ts';
import type { ErasureDeps } from './erasure-deps.ts';
import type { ErasureState } from './erasure-state.ts';
import { isOfPerson } from './person.ts';

type Request = TransactionRequest | EventRequest;
type Row = StoredScreening & { readonly id: string };

/** Items of one unit: few enough that no screening waits long for it. */
export const PAGE = 50;

/** The kinds of entities that identify a person, as lists call them, and their values in a request. */
const LISTED: readonly (readonly [EntityKind, ListKind, (request: Request) => string | undefined])[] = [
  ['user', 'user', ({ user_id }) => user_id],
  ['email', 'email', ({ email }) => email],
  ['device', 'device', ({ device_token }) => device_token],
  ['ip', 'ip_address', ({ ip_address }) => ip_address],
  ['fingerprint', 'payment_fingerprint', (request) => ('amount' in request ? request.payment_fingerprint : undefined)],
];

const identityOf = ({ identities }: ErasureDeps, tenant: number, kind: EntityKind, name: string): EntityIdentity => {
  const [keys, checks]: [number[], number[]] = [[], []];
  identities(tenant)(kindIndex[kind], name, keys, checks);
  return { kind: kindIndex[kind], key: keys[kindIndex[kind]] as number, check: checks[kindIndex[kind]] as number };
};

/**
 * The identities whose histories are the person's, no matter who else was seen with them: the user and the e-mail address. A
 * user of an erased e-mail address counts only if all of their items have that address.
 */
const ownIdentities = async (
  deps: ErasureDeps,
  tenant: number,
  { user_id, email }: ErasureState,
  users: readonly string[],
  through: number,
): Promise<EntityIdentity[]> => {
  const own: EntityIdentity[] = [];
  if (email !== undefined) own.push(identityOf(deps, tenant, 'email', mailboxOf(email.toLowerCase())));
  for (const user of users) {
    const isOwn =
      user === user_id || (email !== undefined && (await deps.personItems.isUserOf(tenant, user, email, through)));
    if (isOwn) own.push(identityOf(deps, tenant, 'user', user));
  }
  return own;
};

const nameOf = ({ kind, key, check }: EntityIdentity): string => `${kind}:${key}:${check}`;

/** The entities of the rows, each once. */
const entitiesOf = (deps: ErasureDeps, rows: readonly Row[]): Map<string, EntityIdentity> => {
  const entities = new Map<string, EntityIdentity>();
  for (const row of rows) {
    const { hashes, checks } = deps.restore(row.tenant, row).subject;
    for (let kind = 0; kind < DETAILED_KINDS.length; kind++) {
      if (hashes[kind] === 0) continue;
      const entity = { kind, key: hashes[kind] as number, check: checks[kind] as number };
      entities.set(nameOf(entity), entity);
    }
  }
  return entities;
};

interface Forgotten {
  /** Values that only the person used. */
  readonly values: readonly (readonly [ListKind, string])[];
  readonly histories: number;
  /** The keys of users and devices whose history was deleted. */
  readonly keys: readonly number[];
}

/** Deletes the histories of the person. */
const forgetHistories = async (
  deps: ErasureDeps,
  tenant: number,
  state: ErasureState,
  rows: readonly Row[],
  through: number,
): Promise<Forgotten> => {
  const requests = rows.map((row) => maskedRequest(row, deps.tags(tenant)));
  const users = [...new Set(requests.map(({ user_id }) => user_id))];
  const own = await ownIdentities(deps, tenant, state, users, through);
  const entities = [...entitiesOf(deps, rows).values()];
  const alone = await deps.counters.forget(tenant, entities, own, through);
  const forgotten = new Set(entities.filter((_, index) => alone[index]).map(nameOf));
  const isForgotten = (row: Row, kind: EntityKind): boolean => {
    const { hashes, checks } = deps.restore(tenant, row).subject;
    const at = kindIndex[kind];
    const name = nameOf({ kind: at, key: hashes[at] as number, check: checks[at] as number });
    return forgotten.has(name) || own.some((one) => nameOf(one) === name);
  };
  const keys = [...entities.filter((_, index) => alone[index]), ...own]
    .filter(({ kind }) => kind === kindIndex.user || kind === kindIndex.device)
    .map(({ key }) => key);
  const values = rows.flatMap((row, index) =>
    LISTED.flatMap(([kind, listKind, valueIn]) => {
      const value = valueIn(requests[index] as Request);
      return value === undefined || !isForgotten(row, kind) ? [] : [[listKind, value] as const];
    }),
  );
  return { values: [...new Map(values.map((one) => [one.join(' '), one])).values()], histories: forgotten.size, keys };
};

const metadataOf = ({ request }: Row): MetadataValue[] =>
  Object.entries((JSON.parse(request) as Request).metadata ?? {}).map(([field, value]) => ({ field, value }));
const distinct = (values: readonly MetadataValue[]): MetadataValue[] => [
  ...new Map(values.map((one) => [JSON.stringify(one), one])).values(),
];

export interface ErasedPage {
  readonly state: ErasureState;
  readonly counts: Partial<ErasureCounts>;
  readonly isLast: boolean;
}

/**
 * Erases a page of items. The histories come first: the rows say which they are. Then the rows, together with what they
 * say about the person. Search comes last, since it finds the rows. After a crash in between, the page is found and
 * erased again; its rows say nothing any more.
 */
export const erasePage = async (
  deps: ErasureDeps,
  tenant: number,
  state: ErasureState,
  through: number,
  isInModel: (value: MetadataValue) => boolean,
  remember: (state: ErasureState, counts: Partial<ErasureCounts>) => Statement,
): Promise<ErasedPage | undefined> => {
  const { backend, personItems, projector, lists } = deps;
  const numbers = await personItems.items(tenant, state, state.after, through, PAGE);
  const found = numbers.length === 0 ? [] : await storedByNumber(backend, tenant, numbers);
  const rows = found.filter((row) => !isErased(row) && isOfPerson(state, maskedRequest(row, deps.tags(tenant))));
  const { values, histories, keys } =
    rows.length === 0
      ? { values: [], histories: 0, keys: [] }
      : await forgetHistories(deps, tenant, state, rows, through);
  const listEntries = await lists.erase(
    tenant,
    values.map(([kind, value]) => ({ kind, value })),
  );
  const labels: Statement[] = [];
  let reviews = 0;
  for (const { id } of rows) {
    labels.push(...(await eraseLabels(backend, tenant, id)));
    if ((await reviewsOf(backend, tenant, id)).length > 0) reviews++;
  }
  const users = rows.map((row) => maskedRequest(row, deps.tags(tenant)).user_id);
  const known: ErasureState = {
    ...state,
    users: [...new Set([...state.users, ...users])],
    metadata: distinct([...state.metadata, ...rows.flatMap(metadataOf).filter(isInModel)]),
    values: [...new Set([...state.values, ...values.map(([, value]) => value)])],
  };
  const counts = {
    screenings: rows.length,
    cases: rows.filter(({ verdict }) => unpackOutcome(verdict).decision === 'review').length,
    ...{ reviews, histories, labels: labels.length, list_entries: listEntries },
  };
  if (rows.length > 0)
    await backend.write([
      remember(known, counts),
      ...rows.map(eraseScreening),
      ...rows.flatMap(({ id }) => [...eraseCase(tenant, id), eraseReviews(tenant, id)]),
      ...labels,
      ...keys.map((key) => eraseAttackLink(tenant, key)),
    ]);
  const kept = new Set(found.filter((row) => !isErased(row) && !rows.includes(row)).map(({ seq }) => seq));
  if (
    numbers.length > 0 &&
    !(await projector.erase(
      tenant,
      numbers.filter((seq) => !kept.has(seq)),
    ))
  )
    return undefined;
  return { state: { ...known, after: numbers.at(-1) ?? through }, counts, isLast: numbers.length < PAGE };
};
