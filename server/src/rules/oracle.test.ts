import { Environment } from '@marcbachmann/cel-js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paymentInput } from '../../test/fixtures/rule-inputs.ts';
import { compile } from './compile.ts';

/** The reference evaluator of the library. Both agree where they share the language: doubles, texts, lists, loops. */
const reference = new Environment()
  .registerVariable('amount', 'double')
  .registerVariable('score', 'double')
  .registerVariable('model_score', 'double')
  .registerVariable('ip_vpn', 'bool')
  .registerVariable('email', 'string')
  .registerVariable('user_id', 'string')
  .registerVariable('signals', 'list<string>')
  .registerVariable('metadata', 'map<string, string>')
  .registerVariable('features', 'map<string, double>');

const SIGNALS = ['new_device', 'velocity_spike', 'tor_exit', 'ip_velocity'];
const KEYS = ['a', 'b', 'c'];
const TEXTS = ['', 'a', 'ab', 'b', 'web', 'ada@example.com', 'new'];
const join = (parts: fc.Arbitrary<string>[], write: (...texts: string[]) => string): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => write(...texts));
const quote = (text: string): string => JSON.stringify(text);

const { bool } = fc.letrec<{ number: string; text: string; bool: string; inLoop: string }>((tie) => {
  const literal = fc.integer({ min: -40, max: 200 }).map((n) => (n / 4).toFixed(2));
  const number = fc.oneof(
    { maxDepth: 4, depthIdentifier: 'expression' },
    literal,
    fc.constantFrom('amount', 'score', 'model_score', 'features["user.payments"]'),
    join([tie('number'), fc.constantFrom('+', '-', '*'), tie('number')], (a, op, b) => `(${a} ${op} ${b})`),
    join([tie('number'), fc.constantFrom('2.0', '-4.0', '0.5')], (a, b) => `(${a} / ${b})`),
    join([tie('number')], (a) => `-(${a})`),
    join([tie('bool'), tie('number'), tie('number')], (c, a, b) => `(${c} ? ${a} : ${b})`),
  );
  const text = fc.oneof(
    { maxDepth: 4, depthIdentifier: 'expression' },
    fc.constantFrom(...TEXTS).map(quote),
    fc.constantFrom('email', 'user_id', 'metadata.a', 'metadata["b"]'),
    join([tie('text'), fc.constantFrom('lowerAscii', 'upperAscii', 'trim')], (a, f) => `${a}.${f}()`),
    join([tie('bool'), tie('text'), tie('text')], (c, a, b) => `(${c} ? ${a} : ${b})`),
  );
  /** Conditions on the `s` of a loop. */
  const inLoop = fc.oneof(
    { maxDepth: 3, depthIdentifier: 'loop' },
    fc.constantFrom(...SIGNALS).map((name) => `s == "${name}"`),
    join(
      [fc.constantFrom('startsWith', 'contains', 'endsWith'), fc.constantFrom(...TEXTS)],
      (f, a) => `s.${f}(${quote(a)})`,
    ),
    fc.constantFrom('amount > score', 'size(s) > 9', 's in ["new_device", "tor_exit"]', 's != user_id'),
    join([tie('inLoop'), fc.constantFrom('&&', '||'), tie('inLoop')], (a, op, b) => `(${a} ${op} ${b})`),
    join([tie('inLoop')], (a) => `!(${a})`),
  );
  const bool = fc.oneof(
    { maxDepth: 5, depthIdentifier: 'expression' },
    fc.constantFrom('true', 'false', 'ip_vpn'),
    join(
      [tie('number'), fc.constantFrom('<', '<=', '>', '>=', '==', '!='), tie('number')],
      (a, op, b) => `${a} ${op} ${b}`,
    ),
    join([tie('text'), fc.constantFrom('<', '>=', '==', '!='), tie('text')], (a, op, b) => `${a} ${op} ${b}`),
    join([tie('bool'), fc.constantFrom('&&', '||', '==', '!='), tie('bool')], (a, op, b) => `(${a}) ${op} (${b})`),
    join([tie('bool')], (a) => `!(${a})`),
    join([tie('bool'), tie('bool'), tie('bool')], (c, a, b) => `((${c}) ? (${a}) : (${b}))`),
    join([tie('text'), tie('text'), tie('text')], (a, b, c) => `${a} in [${b}, ${c}]`),
    join([tie('number'), literal, literal], (a, b, c) => `${a} in [${b}, ${c}]`),
    join([fc.constantFrom(...SIGNALS)], (name) => `"${name}" in signals`),
    join([fc.constantFrom(...KEYS, 'zz')], (key) => `"${key}" in metadata`),
    join(
      [tie('text'), fc.constantFrom('startsWith', 'endsWith', 'contains'), tie('text')],
      (a, f, b) => `${a}.${f}(${b})`,
    ),
    join([fc.constantFrom('exists', 'all', 'exists_one'), tie('inLoop')], (f, body) => `signals.${f}(s, ${body})`),
    join([tie('inLoop'), fc.nat(4).map(String)], (body, n) => `signals.filter(s, ${body}).size() >= ${n}`),
    join([tie('text'), fc.nat(4).map(String)], (a, n) => `size(${a}) == ${n}`),
  );
  return { number, text, bool, inLoop };
});

const values = fc.record({
  amount: fc.integer({ min: 1, max: 100 }).map((n) => n / 4),
  score: fc.nat(100),
  modelScore: fc.nat(100),
  payments: fc.nat(20),
  vpn: fc.boolean(),
  email: fc.constantFrom('a@b', 'ada@example.com'),
  user: fc.constantFrom('a', 'ab', 'new_device'),
  signals: fc.subarray(SIGNALS),
  metadata: fc.tuple(fc.constantFrom(...TEXTS), fc.constantFrom(...TEXTS)).map(([a, b]) => ({ a, b })),
});

test('an expression matches exactly if it does in the reference evaluator', () => {
  let compared = 0;
  fc.assert(
    fc.property(bool, values, (expression, v) => {
      const compiled = compile(expression);
      if ('error' in compiled) {
        // Only expressions beyond the limits are refused.
        expect(compiled.error.message).toMatch(/more than/);
        return;
      }
      const input = paymentInput(
        { amount: v.amount, user_id: v.user, email: v.email, metadata: v.metadata },
        { ip_vpn: Number(v.vpn), 'user.payments': v.payments },
        { score: v.score, modelScore: v.modelScore, signals: v.signals },
      );
      const expected: unknown = reference.evaluate(expression, {
        amount: v.amount,
        score: v.score,
        model_score: v.modelScore,
        ip_vpn: v.vpn,
        email: v.email,
        user_id: v.user,
        signals: v.signals,
        metadata: new Map(Object.entries(v.metadata)),
        features: new Map([['user.payments', v.payments]]),
      });
      expect([expression, compiled.matches(input)]).toEqual([expression, expected]);
      compared++;
    }),
    { numRuns: 4000 },
  );
  expect(compared).toBeGreaterThan(3000);
});
