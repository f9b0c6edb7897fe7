/** Prefix of our identifiers, by the kind of resource. */
export const ID_PREFIXES = {
  transaction: 'txn',
  event: 'evt',
  decision: 'dec',
  case: 'case',
  webhook: 'wh',
  message: 'msg',
  key: 'key',
  request: 'req',
  label: 'lbl',
  rule: 'rule',
  training: 'trn',
  backtest: 'bt',
  entry: 'ent',
  note: 'note',
  person: 'person',
  session: 'ses',
  erasure: 'ers',
  view: 'view',
} as const;
export type IdKind = keyof typeof ID_PREFIXES;

/** 26 characters: a UUIDv7 in lower-case Crockford base 32, so that text order is time order. */
export const ID_SUFFIX_PATTERN = '[0-7][0-9a-hjkmnp-tv-z]{25}';
