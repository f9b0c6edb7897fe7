import { CASE_DETAILS } from './case-detail.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [field: string]: Json };
/** A JSON schema. */
export type Schema = { readonly [field: string]: unknown };

const SUSPICIOUS = {
  risk_score: 59,
  signals: ['velocity_spike', 'amount_spike', 'new_device'],
  summary: 'New device; amount 11 times the usual; 5 payments in 10 minutes',
};

const FACTORS = [
  {
    signal: 'velocity_spike',
    theme: 'pace',
    description: '5th payment by this user in 10 minutes, 6th in 24 hours',
    contribution: 25,
  },
  {
    signal: 'amount_spike',
    theme: 'money',
    description: 'EUR 420.00, 11 times the usual payment by this user (EUR 38.20)',
    contribution: 22,
  },
  {
    signal: 'new_device',
    theme: 'device',
    description: 'First payment by this user from this device',
    contribution: 10,
  },
];

/** By schema: example fields that depend on each other. Examples taken field by field would contradict each other. */
const COHERENT: Readonly<Record<string, { readonly [field: string]: Json }>> = {
  Transaction: { signals: ['new_device'], case_id: null },
  Event: { signals: ['new_device'], case_id: null },
  Decision: {
    ...SUSPICIOUS,
    automated_decision: 'review',
    factors: FACTORS,
  },
  Replay: { risk_score: 59, signals: SUSPICIOUS.signals, factors: FACTORS, decision: 'review' },
  Entity: { knowledge: null, lists: [] },
  Case: {
    ...SUSPICIOUS,
    expires_at: '2026-11-21T09:30:00.123Z',
    event_type: null,
    snoozed_until: null,
    resolved_at: null,
    reason: null,
    analyst_id: null,
    notes: null,
  },
  Review: { reason: null },
};
/** Fields that appear only sometimes are left out of examples. */
const SOMETIMES: readonly string[] = ['warnings', 'subject', 'knowledge'];
const isOrdinary = (of: unknown, name: string): boolean =>
  !SOMETIMES.includes(name) && !(of === 'List' && name === 'entries') && !(of === 'Case' && name in CASE_DETAILS);
/** A value that satisfies the schema, composed from the examples of its parts. */
export const exampleOf = (schema: Schema): Json => {
  if (Array.isArray(schema.examples)) return schema.examples[0] as Json;
  if ('const' in schema) return schema.const as Json;
  if (Array.isArray(schema.enum)) return schema.enum[0] as Json;
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0] as Schema);
  if (schema.type === 'array') return [exampleOf(schema.items as Schema)];
  if (schema.type === 'object') {
    const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
    const parts = fields.filter(([name]) => isOrdinary(schema.$id, name)).map(([name, of]) => [name, exampleOf(of)]);
    return { ...Object.fromEntries(parts), ...COHERENT[schema.$id as string] };
  }
  return schema.type === 'string' ? 'text' : 0;
};
