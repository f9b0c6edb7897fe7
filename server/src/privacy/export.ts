import { Readable } from 'node:stream';
import {
  type EventRequest,
  type ExportedItem,
  type ListKind,
  operations,
  type PrivacyExport,
  type PrivacyRequest,
  type TransactionRequest,
} from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import type { Audit } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import type { ScreeningRow } from '../backend/journal.ts';
import { storedByNumber } from '../backend/journal-by-number.ts';
import type { Cases } from '../cases/cases.ts';
import { caseIdsOfUser } from '../cases/erase.ts';
import type { Decisions } from '../decisions/decisions.ts';
import type { Answer, Call } from '../http/route.ts';
import type { Labels } from '../labels/labels.ts';
import type { Lists } from '../lists/lists.ts';
import { reviewedIdsOfUser } from '../reviews/erase.ts';
import type { Reviews } from '../reviews/reviews.ts';
import { withPrefix } from '../runtime/ids.ts';
import { requirePersonal } from '../search/filter.ts';
import type { PersonSearch } from '../search/person.ts';
import type { Seal } from '../secrets/seal.ts';
import { maskedRequest, subjectFor } from '../subjects/subjects.ts';
import type { Users } from '../users/users.ts';
import { ApiError } from '../validation/errors.ts';
import { hashOfPerson, isOfPerson } from './person.ts';

export interface ExportDeps {
  readonly backend: Backend;
  readonly personItems: PersonSearch;
  readonly decisions: Pick<Decisions, 'of'>;
  readonly cases: Pick<Cases, 'find' | 'notesOf'>;
  readonly reviews: Reviews;
  readonly labels: Pick<Labels, 'of'>;
  readonly lists: Pick<Lists, 'naming'>;
  readonly users: Pick<Users, 'profileOf'>;
  readonly audit: Pick<Audit, 'write'>;
  readonly seal: Seal;
  readonly clock: () => number;
}

const PAGE = 50;
/** Exports of a tenant at a time: each keeps the reader busy for as long as its client reads. */
const AT_A_TIME = 2;
const [FIRST_ID, LAST_ID] = ['', '~'];

type ExportCall = Call<'createExport'>;
type Row = ScreeningRow & { readonly seq: number };

const toItem = async (deps: ExportDeps, { caller, tagOf }: ExportCall, row: Row): Promise<ExportedItem> => {
  const { tenant } = caller;
  const { subject, knowledge } = subjectFor({ query: { include: 'subject' }, tagOf }, row) as Pick<
    ExportedItem,
    'subject' | 'knowledge'
  >;
  return {
    subject_type: row.type,
    subject_id: withPrefix(row.type, row.id),
    screened_at: writeTimestamp(row.screened_at),
    ...{ subject, knowledge },
    decision: await deps.decisions.of(tenant, row),
    case: (await deps.cases.find(tenant, row.id)) ?? null,
    case_notes: await deps.cases.notesOf(tenant, row.id),
    labels: await deps.labels.of(tenant, row.type, row.id),
  };
};

/** What the items tell about the person, for the parts that are not found by items. */
interface Seen {
  readonly users: Set<string>;
  readonly listed: Map<string, { readonly kind: ListKind; readonly value: string }>;
  readonly ids: Set<string>;
}

const remember = (seen: Seen, row: Row, { user_id, email }: TransactionRequest | EventRequest): void => {
  seen.users.add(user_id);
  seen.ids.add(row.id);
  seen.listed.set(`user ${user_id}`, { kind: 'user', value: user_id });
  if (email !== undefined) seen.listed.set(`email ${email}`, { kind: 'email', value: email });
};

async function* itemsOf(deps: ExportDeps, call: ExportCall, seen: Seen): AsyncGenerator<ExportedItem> {
  const { tenant } = call.caller;
  for (let after = 0; ; ) {
    const numbers = await deps.personItems.items(tenant, call.body, after, Number.MAX_SAFE_INTEGER, PAGE);
    const rows = numbers.length === 0 ? [] : await storedByNumber(deps.backend, tenant, numbers);
    for (const row of rows) {
      const request = maskedRequest(row, call.tagOf);
      if (!isOfPerson(call.body, request)) continue;
      remember(seen, row, request);
      yield await toItem(deps, call, row);
    }
    if (numbers.length < PAGE) return;
    after = numbers.at(-1) as number;
  }
}

type IdsOfUser = typeof caseIdsOfUser;
async function* idsOf(
  deps: ExportDeps,
  tenant: number,
  users: Iterable<string>,
  find: IdsOfUser,
): AsyncGenerator<string> {
  for (const user of users)
    for (let after = FIRST_ID; ; ) {
      const ids = await find(deps.backend, tenant, user, after, LAST_ID, PAGE);
      yield* ids;
      if (ids.length < PAGE) break;
      after = ids.at(-1) as string;
    }
}

/** Cases whose item is deleted. */
async function* olderCases(deps: ExportDeps, tenant: number, users: Iterable<string>, { ids }: Seen) {
  for await (const id of idsOf(deps, tenant, users, caseIdsOfUser)) {
    const found = ids.has(id) ? undefined : await deps.cases.find(tenant, id);
    if (found !== undefined) yield { case: found, notes: await deps.cases.notesOf(tenant, id) };
  }
}

/** Reviews of decisions whose item is deleted. */
async function* olderReviews(deps: ExportDeps, tenant: number, users: Iterable<string>, { ids }: Seen) {
  for await (const id of idsOf(deps, tenant, users, reviewedIdsOfUser)) {
    if (ids.has(id)) continue;
    const reviews = await deps.reviews.of(tenant, id);
    for (const { reviewed_at, ...review } of reviews)
      yield { decision_id: withPrefix('decision', id), ...review, reviewed_at: writeTimestamp(reviewed_at) };
  }
}

async function* profilesOf(deps: ExportDeps, tenant: number, users: Iterable<string>) {
  for (const user of users) {
    const profile = await deps.users.profileOf(tenant, user);
    if (profile !== undefined) yield profile;
  }
}

/** Users whose data beside their items is the person's too. */
const ownUsers = async (
  { personItems }: ExportDeps,
  tenant: number,
  { user_id, email }: PrivacyRequest,
  seen: Seen,
) => {
  const own = user_id === undefined ? [] : [user_id];
  for (const user of seen.users)
    if (
      user !== user_id &&
      email !== undefined &&
      (await personItems.isUserOf(tenant, user, email, Number.MAX_SAFE_INTEGER))
    )
      own.push(user);
  return own;
};

const spell = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** One member of the file: a list, piece by piece. */
async function* listPieces(name: keyof PrivacyExport, items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = '';
  yield `,\n"${name}": [`;
  for await (const item of items) {
    yield `${separator}\n${spell(item)}`;
    separator = ',';
  }
  yield ']';
}

/** Yields the file in pieces. The next page is read when the client has taken the one before. */
async function* piecesOf(deps: ExportDeps, call: ExportCall): AsyncGenerator<string> {
  const { tenant } = call.caller;
  const { user_id, email } = call.body;
  const seen: Seen = { users: new Set(), listed: new Map(), ids: new Set() };
  if (user_id !== undefined) seen.listed.set(`user ${user_id}`, { kind: 'user', value: user_id });
  if (email !== undefined) seen.listed.set(`email ${email}`, { kind: 'email', value: email });
  yield `{\n"person": ${spell({ user_id: user_id ?? null, email: email ?? null })},\n`;
  yield `"exported_at": ${spell(writeTimestamp(deps.clock()))}`;
  yield* listPieces('items', itemsOf(deps, call, seen));
  const users = await ownUsers(deps, tenant, call.body, seen);
  yield* listPieces('risk_profiles', profilesOf(deps, tenant, users));
  yield* listPieces('older_cases', olderCases(deps, tenant, users, seen));
  yield* listPieces('older_reviews', olderReviews(deps, tenant, users, seen));
  yield `,\n"list_entries": ${spell(await deps.lists.naming(tenant, [...seen.listed.values()]))}\n}\n`;
}

/** A file with everything that is stored about a person. */
export const makeExport = (deps: ExportDeps) => {
  const running = new Map<number, number>();
  const count = (tenant: number, by: 1 | -1): void => void running.set(tenant, (running.get(tenant) ?? 0) + by);
  return async (call: ExportCall): Promise<Answer> => {
    const { tenant, permissions } = call.caller;
    requirePersonal('To export a person', permissions);
    if ((running.get(tenant) ?? 0) >= AT_A_TIME)
      throw new ApiError('rate_limited', `${AT_A_TIME} exports are in progress. Retry when one of them has ended.`, {
        headers: { 'Retry-After': '1' },
      });
    const by = ['user_id', 'email'].filter((name) => name in call.body);
    const after = { person: hashOfPerson(deps.seal, tenant, call.body), by };
    await deps.audit.write(call.caller, { action: 'person.exported', target: 'person', before: null, after }, []);
    count(tenant, 1);
    const content = Readable.from(piecesOf(deps, call)).once('close', () => count(tenant, -1));
    return call.stream({ type: operations.createExport.streams.json, name: 'person.json', content });
  };
};
