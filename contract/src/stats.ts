import Type from 'typebox';
import {
  MAX_COUNTED_CASES,
  MAX_COUNTED_DELIVERIES,
  MAX_DAYS_OF_HOURS,
  MAX_STAT_ANALYSTS,
  MAX_STAT_GROUPS,
  MEASURED_MEMBERS,
  SUBJECT_TYPES,
} from './constants.ts';
import { id } from './ids.ts';
import { moment, nullable, timestamp } from './text.ts';

/** Sums over screenings, kept by hour and by day. */

export const STAT_STEPS = ['1h', '1d'] as const;
export type StatStep = (typeof STAT_STEPS)[number];
const until = Type.Optional(
  moment('Only items before this time, rounded up to the whole hour or day in UTC. Default: now.'),
);
const from = Type.Optional(
  moment(
    'Only items of this time or later, rounded down to the whole hour or day in UTC. Default: 30 days before `until`.',
  ),
);
const type = Type.Optional(Type.Enum(SUBJECT_TYPES, { description: 'Only transactions, or only events.' }));

/** A range, and the steps to count it by. */
export const STAT_RANGE = {
  from,
  until,
  step: Type.Optional(
    Type.Enum(STAT_STEPS, {
      default: '1d',
      description: `A point per hour or per day, in UTC. Hours cover at most ${MAX_DAYS_OF_HOURS} days.`,
    }),
  ),
};

export const DecisionStatsQuery = Type.Object({ ...STAT_RANGE, type }, { $id: 'DecisionStatsQuery' });
export type DecisionStatsQuery = Type.Static<typeof DecisionStatsQuery>;

export const StatsQuery = Type.Object({ from, until, type }, { $id: 'StatsQuery' });
export type StatsQuery = Type.Static<typeof StatsQuery>;

export const CaseStatsQuery = Type.Object({ from, until }, { $id: 'CaseStatsQuery' });
export type CaseStatsQuery = Type.Static<typeof CaseStatsQuery>;

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] });
const dollars = (description: string, example: number) => Type.Number({ minimum: 0, description, examples: [example] });

const labels = {
  fraud: count('Items with the label `fraud` now.', 3),
  legitimate: count('Items with the label `legitimate` now.', 5),
};
const figures = {
  items: count('Number of items.', 120),
  amount_usd: dollars('Sum of their amounts in US dollars.', 5412.5),
  ...labels,
  fraud_usd: dollars('Sum of the amounts with the label `fraud` now.', 310.2),
};
const decided = {
  allow: count('Items that the screening allowed.', 1180),
  review: count('Items that the screening held for review.', 14),
  block: count('Items that the screening blocked.', 6),
  amount_usd: dollars('Sum of all amounts in US dollars.', 51_240.75),
  held_usd: dollars('Sum of the amounts that the screening held or blocked.', 2310.4),
  saved_usd: dollars('Sum of the amounts held or blocked that have the label `fraud` now.', 940),
  ...labels,
  fraud_usd: dollars('Sum of all amounts with the label `fraud` now. Without `saved_usd`, it is the loss.', 1010.5),
};
const range = {
  from: timestamp('The start of the first hour or day that was counted.'),
  until: timestamp('The end of the last hour or day that was counted.'),
  as_of: timestamp('Every item and label that was stored before this time is included.'),
};

export const DecisionFigures = Type.Object(decided, { $id: 'DecisionFigures' });
export type DecisionFigures = Type.Static<typeof DecisionFigures>;

export const DecisionPoint = Type.Object(
  { at: timestamp('Start of the hour or day.'), ...decided },
  { $id: 'DecisionPoint' },
);
export type DecisionPoint = Type.Static<typeof DecisionPoint>;

export const DecisionStats = Type.Object(
  {
    ...range,
    step: Type.Enum(STAT_STEPS, { examples: ['1d'] }),
    totals: DecisionFigures,
    points: Type.Array(DecisionPoint, { description: 'Every hour or day of the range, the oldest first.' }),
  },
  { $id: 'DecisionStats', description: 'Decisions and amounts over time.' },
);
export type DecisionStats = Type.Static<typeof DecisionStats>;

export const ScoreFigures = Type.Object(
  { score: Type.Integer({ minimum: 0, maximum: 100, examples: [0] }), ...figures },
  { $id: 'ScoreFigures' },
);
export type ScoreFigures = Type.Static<typeof ScoreFigures>;

export const ScoreStats = Type.Object(
  { ...range, scores: Type.Array(ScoreFigures, { description: 'One entry for each score from 0 to 100.' }) },
  { $id: 'ScoreStats', description: 'Items by risk score.' },
);
export type ScoreStats = Type.Static<typeof ScoreStats>;

const cut = Type.Boolean({
  description: `Whether there are more than ${MAX_STAT_GROUPS}. The entries with the fewest items are left out.`,
  examples: [false],
});

export const SignalFigures = Type.Object(
  { signal: Type.String({ examples: ['new_device'] }), ...figures },
  { $id: 'SignalFigures' },
);
export type SignalFigures = Type.Static<typeof SignalFigures>;

export const SignalStats = Type.Object(
  { ...range, signals: Type.Array(SignalFigures), cut },
  { $id: 'SignalStats', description: 'Items by active signal, the most frequent first.' },
);
export type SignalStats = Type.Static<typeof SignalStats>;

export const RuleFigures = Type.Object(
  { rule_id: id('rule', 'A live rule that matched.'), ...figures },
  { $id: 'RuleFigures' },
);
export type RuleFigures = Type.Static<typeof RuleFigures>;

export const RuleStats = Type.Object(
  { ...range, rules: Type.Array(RuleFigures), cut },
  { $id: 'RuleStats', description: 'Items by live rule that matched, the most frequent first.' },
);
export type RuleStats = Type.Static<typeof RuleStats>;

export const CountryFigures = Type.Object(
  {
    country: nullable(Type.String({ examples: ['NG'] }), {
      description: 'Country of the IP address, ISO 3166-1 alpha-2. `null`: unknown.',
    }),
    ...figures,
  },
  { $id: 'CountryFigures' },
);
export type CountryFigures = Type.Static<typeof CountryFigures>;

export const CountryStats = Type.Object(
  { ...range, countries: Type.Array(CountryFigures), cut },
  { $id: 'CountryStats', description: 'Items by country of the IP address, the most frequent first.' },
);
export type CountryStats = Type.Static<typeof CountryStats>;

export const ResolveTime = Type.Object(
  {
    p50: Type.Number({ minimum: 0, description: 'Median.', examples: [400] }),
    p90: Type.Number({ minimum: 0, description: '90 % took no longer.', examples: [5200] }),
  },
  { $id: 'ResolveTime' },
);
export type ResolveTime = Type.Static<typeof ResolveTime>;

const resolved = {
  approved: count('Cases resolved as `approved`.', 31),
  rejected: count('Cases resolved as `rejected`.', 9),
  seconds_to_resolve: nullable(ResolveTime, {
    description: 'Seconds from opening to resolution, of the cases resolved in this time. `null` without one.',
  }),
  within_target: nullable(Type.Integer({ minimum: 0, examples: [38] }), {
    description: 'Cases resolved within the present `review_target_minutes` of the account. `null` without a target.',
  }),
};
const handled = {
  opened: count('Cases opened.', 44),
  ...resolved,
  expired: count('Cases that expired without a resolution.', 2),
};

export const CaseFigures = Type.Object(handled, { $id: 'CaseFigures' });
export type CaseFigures = Type.Static<typeof CaseFigures>;

export const CaseDay = Type.Object({ at: timestamp('Start of the day, in UTC.'), ...handled }, { $id: 'CaseDay' });
export type CaseDay = Type.Static<typeof CaseDay>;

export const AnalystFigures = Type.Object(
  {
    analyst_id: nullable(Type.String({ examples: ['analyst_7'] }), {
      description: 'As sent with the resolution. `null`: none was sent.',
    }),
    ...resolved,
  },
  { $id: 'AnalystFigures' },
);
export type AnalystFigures = Type.Static<typeof AnalystFigures>;

export const CaseStats = Type.Object(
  {
    from: timestamp(
      `The start of the first day that was counted. Later than asked for if there are more than ${MAX_COUNTED_CASES.toLocaleString('en-US')} cases of a kind.`,
    ),
    until: range.until,
    as_of: timestamp('Everything that was stored before this time is included.'),
    totals: CaseFigures,
    days: Type.Array(CaseDay, {
      description:
        'Every day of the range, the oldest first. A case counts as opened, resolved or expired on the day when that happened.',
    }),
    analysts: Type.Array(AnalystFigures, {
      description: `The ${MAX_STAT_ANALYSTS} analysts with the most resolutions, the most first.`,
    }),
  },
  { $id: 'CaseStats', description: 'How cases were handled.' },
);
export type CaseStats = Type.Static<typeof CaseStats>;

export const MemberShare = Type.Object(
  {
    type: Type.Enum(SUBJECT_TYPES, { examples: ['transaction'] }),
    name: Type.Enum(MEASURED_MEMBERS.transaction, { examples: ['device_token'] }),
    requests: count('Screenings of this type.', 1204),
    share: nullable(Type.Number({ minimum: 0, maximum: 1, examples: [0.12] }), {
      description: 'The share of these whose request had the member. `null` without a screening.',
    }),
  },
  { $id: 'MemberShare' },
);
export type MemberShare = Type.Static<typeof MemberShare>;

export const ServiceStats = Type.Object(
  {
    version: Type.String({ description: 'Version of the service.', examples: ['0.1.0'] }),
    store: Type.Enum(['embedded', 'postgresql'] as const, { examples: ['embedded'] }),
    screenings_per_minute: count('Screenings of this account and environment in the last minute.', 320),
    latency_ms: nullable(
      Type.Object({
        p50: Type.Number({ minimum: 0, examples: [2.1] }),
        p99: Type.Number({ minimum: 0, examples: [9.4] }),
      }),
      {
        description:
          'Response time of screenings in the last minute in the process that answers, of all accounts. Estimated from a histogram. `null` without one.',
      },
    ),
    search_behind_seconds: Type.Number({
      minimum: 0,
      description: 'How far search and statistics are behind the stored screenings and labels.',
      examples: [0],
    }),
    deliveries_pending: Type.Integer({
      minimum: 0,
      maximum: MAX_COUNTED_DELIVERIES,
      description: `Webhook messages of this account and environment that are not delivered yet, counted up to ${MAX_COUNTED_DELIVERIES.toLocaleString('en-US')}.`,
      examples: [0],
    }),
    members: Type.Array(MemberShare, {
      description:
        'Optional members of the requests of this account and environment in the last 24 hours. A signal that needs a member is never active without it.',
    }),
    as_of: timestamp('When the figures were read.'),
  },
  { $id: 'ServiceStats', description: 'State of the service.' },
);
export type ServiceStats = Type.Static<typeof ServiceStats>;
