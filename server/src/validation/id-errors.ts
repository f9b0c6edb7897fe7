import { ID_PREFIXES, type IdKind } from '@portcullis/contract/values';

const NOUNS: Readonly<Record<IdKind, string>> = {
  transaction: 'a transaction id',
  event: 'an event id',
  decision: 'a decision id',
  case: 'a case id',
  webhook: 'a webhook id',
  message: 'a message id',
  key: 'an API key id',
  request: 'a request id',
  label: 'a label id',
  rule: 'a rule id',
  training: 'a training id',
  backtest: 'a backtest id',
  entry: 'a list entry id',
  note: 'a note id',
  view: 'a view id',
  person: 'a person id',
  session: 'a session id',
  erasure: 'an erasure id',
};

const KIND_OF_PREFIX: ReadonlyMap<string, IdKind> = new Map(
  Object.entries(ID_PREFIXES).map(([kind, prefix]) => [prefix, kind as IdKind]),
);

const kindOf = (id: unknown): IdKind | undefined =>
  typeof id === 'string' && id.includes('_') ? KIND_OF_PREFIX.get(id.slice(0, id.indexOf('_'))) : undefined;

/** Prefixes at the start of a pattern such as `^case_…` or `^(?:txn|evt)_…`. */
const PREFIXES = /^\^(?:\(\?:)?([a-z|]+)\)?_/;

/** The kinds of id that a schema's pattern accepts; empty where it is the pattern of something else. */
export const idKindsOf = (pattern: string): readonly IdKind[] => {
  const kinds = (PREFIXES.exec(pattern)?.[1] ?? '').split('|').map((prefix) => KIND_OF_PREFIX.get(prefix));
  return kinds.every((kind) => kind !== undefined) ? kinds : [];
};

/** Names the expected kind of id and, where the prefix shows it, the kind that was sent. Never quotes the id. */
export const describeIdError = (expected: readonly IdKind[], sent: unknown): string => {
  const nouns = expected.map((kind) => NOUNS[kind]).join(' or ');
  const prefixes = expected.map((kind) => `\`${ID_PREFIXES[kind]}_\``).join(' or ');
  const other = kindOf(sent);
  const suffix = other === undefined || expected.includes(other) ? '' : `; this is ${NOUNS[other]}`;
  return `must be ${nouns}, which begins with ${prefixes}${suffix}`;
};
