import Type from 'typebox';
import { withoutCardNumber } from './card-numbers/rule.ts';
import { CASE_DETAILS } from './case-detail.ts';
import { EVENT_TYPES, PRIORITIES, SUBJECT_TYPES } from './constants.ts';
import { analystId, notes, summary } from './decision.ts';
import { EventSubject } from './event.ts';
import { id } from './ids.ts';
import { reason, reasonOrNull } from './label-reason.ts';
import { knowledge } from './screened-subject.ts';
import { SCREENING_FILTERS } from './screening-filter.ts';
import { callerId, moment, nullable, timestamp } from './text.ts';
import { TransactionSubject } from './transaction.ts';
import { RiskScore, Signals, Warnings } from './verdict.ts';

export const CASE_STATUSES = ['open', 'approved', 'rejected', 'expired'] as const;
export type CaseStatus = (typeof CASE_STATUSES)[number];

export const priority = Type.Enum(PRIORITIES, { description: 'How urgent the case is.', examples: ['normal'] });

const TAG_PATTERN = '^[a-z0-9][a-z0-9_-]{0,39}$';
/** A tag is refused if it holds a card number: masked, it would be another tag. */
export const tag = (description: string) =>
  withoutCardNumber(
    Type.Refine(
      Type.String({ pattern: TAG_PATTERN, description, examples: ['gift_cards'] }),
      (value) => new RegExp(TAG_PATTERN).test(value),
      () => 'must have 1 to 40 lower-case letters, digits, `_` and `-`, and begin with a letter or digit',
    ),
  );

export const Case = Type.Object(
  {
    case_id: id('case', 'The case.'),
    subject_type: Type.Enum(SUBJECT_TYPES, { examples: ['transaction'] }),
    subject_id: Type.String({ examples: ['txn_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
    user_id: Type.String({ examples: ['user_1842'] }),
    decision_id: id('decision', 'The decision that opened the case.'),
    status: Type.Enum(CASE_STATUSES, { examples: ['open'] }),
    risk_score: RiskScore,
    decision: Type.Literal('review'),
    amount: nullable(Type.Number({ examples: [420] }), { description: '`null` for an event.' }),
    currency: nullable(Type.String({ examples: ['EUR'] }), { description: '`null` for an event.' }),
    amount_usd: nullable(Type.Number({ examples: [455.55] }), {
      description:
        'The amount in US dollars at a reference rate. `null` for an event and for a currency without a rate.',
    }),
    event_type: nullable(Type.Enum(EVENT_TYPES, { examples: ['login'] }), { description: '`null` for a transaction.' }),
    country: nullable(Type.String({ examples: ['NG'] }), {
      description:
        'Country of the IP address; `null` if it is unknown. This and the four fields before are `null` in cases that an earlier version opened.',
    }),
    signals: Signals,
    summary: summary(
      'The main reasons in one line, as in the decision. `null` in cases that an earlier version opened.',
    ),
    created_at: timestamp('When the case was opened.'),
    expires_at: timestamp('When an unresolved case becomes `expired`.'),
    priority,
    tags: Type.Array(Type.String({ examples: ['gift_cards'] }), {
      description: 'In alphabetical order.',
      examples: [[]],
    }),
    assignee: nullable(Type.String({ examples: ['analyst_7'] }), {
      description: 'Who works on the case; `null` while it waits for somebody.',
    }),
    assigned_at: nullable(timestamp('When the case was assigned to its assignee.')),
    snoozed_until: nullable(timestamp('Until when the case is set aside.'), {
      description: 'Until when the case is set aside; `null` if it is not.',
    }),
    notes_count: Type.Integer({ minimum: 0, description: 'Number of notes of analysts.', examples: [0] }),
    resolved_at: nullable(timestamp('When the case was resolved.')),
    reason: reasonOrNull('How the fraud was done, from the resolution.'),
    analyst_id: nullable(Type.String({ examples: ['analyst_7'] })),
    notes: nullable(Type.String()),
    subject: Type.Optional(
      Type.Union([TransactionSubject, EventSubject, Type.Null()], {
        description:
          'Only with `include=subject`: the request, by `subject_type`. `null` after its 90 days, when only the case is left.',
      }),
    ),
    knowledge,
    ...CASE_DETAILS,
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Case', description: 'A transaction or event that waits for a manual decision.' },
);
export type Case = Type.Static<typeof Case>;

export const CaseResolution = Type.Object(
  {
    status: Type.Enum(['approved', 'rejected'] as const, {
      description: '`approved`: legitimate, a false positive. `rejected`: confirmed fraud.',
      examples: ['approved'],
    }),
    reason: Type.Optional(reason('`rejected`')),
    analyst_id: Type.Optional(analystId),
    notes: Type.Optional(notes),
  },
  {
    $id: 'CaseResolution',
    examples: [{ status: 'approved', analyst_id: 'analyst_7', notes: 'Called the customer; the purchase is theirs.' }],
  },
);
export type CaseResolution = Type.Static<typeof CaseResolution>;

const date = (description: string) => Type.Optional(moment(description, '2026-11-14'));

export const CASE_ORDERS = ['newest', 'oldest', 'score', 'amount', 'priority'] as const;
export type CaseOrder = (typeof CASE_ORDERS)[number];
const { type: subject_type, event_type, user_id, signal, score_min, score_max, usd_min, country } = SCREENING_FILTERS;

/** What a list of cases and the next case can ask for. All of it must match. */
export const CASE_FILTERS = {
  start_date: date('Only cases created at this time or later.'),
  end_date: date('Only cases created before this time.'),
  ...{ subject_type, event_type, signal, score_min, score_max, usd_min, country },
  priority: Type.Optional(Type.Enum(PRIORITIES, { description: 'Only cases of this priority.' })),
  tag: Type.Optional(tag('Only cases with this tag.')),
};
const CaseFilters = Type.Object(CASE_FILTERS);
export type CaseFilters = Type.Static<typeof CaseFilters>;

export const caseOrder = (byDefault: CaseOrder) =>
  Type.Optional(
    Type.Enum(CASE_ORDERS, {
      default: byDefault,
      description:
        '`oldest`: the case that expires first comes first. `score`: the highest risk score first, then the newest. `amount`: the largest amount in US dollars first. `priority`: the most urgent first, then the oldest.',
      examples: [byDefault],
    }),
  );

export const CaseQuery = Type.Object({
  status: Type.Optional(
    Type.Enum(CASE_STATUSES, { description: 'Only cases with this status. Default: all.', examples: ['open'] }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, examples: [20] })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, examples: [0] })),
  ...CASE_FILTERS,
  user_id,
  assignee: Type.Optional(
    callerId(
      'Only cases of this assignee; `none`: only cases without one. `me`, in a session: your own cases.',
      'analyst_7',
    ),
  ),
  target: Type.Optional(
    Type.Enum(['over', 'soon'] as const, {
      description:
        'By the review target of the account: `over`: only open cases that are past it. `soon`: only open cases that have a quarter of it left or less.',
      examples: ['over'],
    }),
  ),
  snoozed: Type.Optional(
    Type.Boolean({
      description: '`true`: only cases that are snoozed now. `false`: only others. Default: all.',
      examples: [false],
    }),
  ),
  attack_of: Type.Optional(
    id(
      'case',
      'Only cases of the same attack as this case, itself included: cases of one user or device that follow each other within a day.',
    ),
  ),
  sort: caseOrder('newest'),
});
export type CaseQuery = Type.Static<typeof CaseQuery>;

export const CaseList = Type.Object(
  {
    cases: Type.Array(Case),
    total: Type.Integer({ description: 'Number of matching cases on all pages.', examples: [1] }),
    limit: Type.Integer({ examples: [20] }),
    offset: Type.Integer({ examples: [0] }),
    has_more: Type.Boolean({ examples: [false] }),
  },
  { $id: 'CaseList', description: 'Newest first, unless `sort` says otherwise.' },
);
export type CaseList = Type.Static<typeof CaseList>;
