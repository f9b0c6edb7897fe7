import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventInput, fullPayment, paymentInput } from '../../test/fixtures/rule-inputs.ts';
import { compile } from './compile.ts';
import { RULE_FEATURES } from './features.ts';
import { VARIABLES } from './variables.ts';

const matcher = (expression: string) => {
  const compiled = compile(expression);
  if ('error' in compiled) throw new Error(`${expression}: ${compiled.error.message}`);
  return compiled.matches;
};
const errorOf = (expression: string) => {
  const compiled = compile(expression);
  if (!('error' in compiled)) throw new Error(`${expression} is valid`);
  return compiled.error;
};

describe('on a payment with every field', () => {
  test.each<[string, boolean]>([
    ['amount > 100', true],
    ['amount > 100.0 && amount <= 120', true],
    ['amount == 120 && amount != 121', true],
    ['amount * 2 + 1 == 241 && amount / 100 == 1.2 && -amount < 0', true],
    ['amount % 100 == 20', true],
    ['1 / 2 == 0.5', true],
    ['amount > 0x64', true],
    ['amount_usd > 100', true],
    ['type == "transaction"', true],
    ['type == "event" || event_type == "login"', false],
    ['event_type == "" && outcome == "" && !has(event_type)', true],
    ['currency in ["EUR", "USD"]', true],
    ['!(currency in ["USD", "GBP"])', true],
    ['payment_method == "card" && has(payment_method)', true],
    ['payment_fingerprint == "pm_1" && counterparty_id == "shop_77" && user_id == "ada"', true],
    ['email == "ada@example.com" && email_domain == "example.com"', true],
    ['email.endsWith("@example.com") && email.startsWith("ada") && email.contains("@ex")', true],
    ['email.upperAscii() == "ADA@EXAMPLE.COM" && "X".lowerAscii() == "x" && " x ".trim() == "x"', true],
    ['billing_address.country == "DE" && billing_address.country != shipping_address.country', true],
    ['has(billing_address.country) && !has(billing_address.state) && billing_address.state == ""', true],
    ['ip_country == "NL" && asn == 64500 && ip_vpn && !ip_hosting', true],
    ['has(ip_vpn) && has(ip_hosting) && !has(ip_tor) && !ip_tor', true],
    ['metadata.channel == "web" && metadata["channel"] == "web" && "channel" in metadata', true],
    ['has(metadata.channel) && has(metadata["note"]) && !has(metadata.other) && metadata.other == ""', true],
    ['!known(double("1e999")) && double(" 12 ") == 12', true],
    ['double(metadata.age) < 18 && !known(double(metadata.channel)) && !known(double(""))', true],
    ['hour == 9 && weekday == 6 && weekday in [0, 6]', true],
    ['features["user.transactions.1h"] >= 5', true],
    ['features["user.age_ms"] > 90 * 86400000', true],
    ['features["user.amount.1h"] > 0 || features["user.amount.1h"] <= 0', false],
    ['known(features["user.transactions.1h"]) && !known(features["user.amount.1h"])', true],
    ['"new_device" in signals && !("tor_exit" in signals)', true],
    ['signals.exists(s, s == "velocity_spike")', true],
    ['signals.exists_one(s, s.startsWith("velocity"))', true],
    ['signals.all(s, s.size() > 3)', true],
    ['signals.filter(s, s.contains("_")).size() == 2', true],
    ['metadata.exists(key, metadata[key] == "web")', true],
    ['["US", "NG"].exists(c, c == shipping_address.country)', true],
    ['shipping_address.country in [billing_address.country, "NG"]', true],
    ['"vip_users" in lists && !("other" in lists)', true],
    ['score >= 50 && model_score < 20', true],
    ['(amount > 1000 ? score : model_score) == 12', true],
    ['size(metadata) == 3 && size("añ😀") == 3 && signals.size() == 2', true],
    ['"b" > "a" && "b" >= "b"', true],
    ['true // with a note', true],
    ['amount > 1\n  && // over\n  score > 1', true],
    ['"it\'s \\"quoted\\"" == \'it\\\'s "quoted"\'', true],
  ])('%s is %s', (expression, expected) => {
    expect(matcher(expression)(fullPayment())).toBe(expected);
  });
});

describe('absent values', () => {
  test.each<[string, boolean]>([
    ['amount < 5 || amount >= 5 || amount == 0 || amount != 0 || amount_usd != 0', false],
    ['known(amount)', false],
    ['currency == "" && payment_method == "" && email == "" && email_domain == "" && ip_country == ""', true],
    ['size(metadata) == 0 && metadata.all(key, false) && !has(metadata)', true],
    ['event_type == "login" && outcome == "succeeded" && has(outcome)', true],
    ['ip_vpn || ip_tor || ip_proxy || email_disposable', false],
    ['has(email) || has(ip_address) || has(billing_address.city) || has(amount)', false],
  ])('on a plain login, %s is %s', (expression, expected) => {
    expect(matcher(expression)(eventInput())).toBe(expected);
  });

  test('a source that cannot be used gives unknown values', () => {
    const input = paymentInput({}, { ip_country: -1000, ip_vpn: -1000, asn: -1000 });
    expect(matcher('ip_country == "" && !ip_vpn && !has(ip_vpn) && !known(asn)')(input)).toBe(true);
  });

  test('every comparison with an unknown number is false', () => {
    const features = '(features["user.amount.1h"])';
    for (const op of ['<', '<=', '>', '>=', '==', '!=']) {
      for (const other of ['0', '-1', '1e300', 'features["user.payments"]', features]) {
        expect([op, other, matcher(`${features} ${op} ${other}`)(fullPayment())]).toEqual([op, other, false]);
        expect(matcher(`${other} ${op} ${features}`)(fullPayment())).toBe(false);
      }
    }
    expect(matcher(`${features} in [1, amount, ${features}] || amount in [${features}]`)(fullPayment())).toBe(false);
  });
});

test('values come from the current screening, not from the one before', () => {
  const matches = matcher('email == "eve@example.com" && email_domain == "example.com" && ip_country == "DE"');
  const eve = paymentInput({ email: 'EVE@example.com' }, { ip_country: 3 * 26 + 4 });
  expect([matches(fullPayment()), matches(eve), matches(fullPayment()), matches(eve)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

describe('inherited properties are not fields', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'length'])('%s', (name) => {
    expect(matcher(`"${name}" in metadata`)(fullPayment())).toBe(false);
    expect(matcher(`metadata["${name}"] == "" && !has(metadata["${name}"])`)(fullPayment())).toBe(true);
    const named = paymentInput({ metadata: JSON.parse(`{"${name}": "x"}`) });
    expect(matcher(`metadata["${name}"] == "x" && "${name}" in metadata`)(named)).toBe(true);
  });
});

test('returns the names that an expression uses', () => {
  const compiled = compile(
    'amount > 1 && has(billing_address.city) && features["user.age_ms"] > 1 && ("vip" in lists || lists.exists(l, l == "b"))',
  );
  expect(compiled).toMatchObject({
    variables: ['amount', 'billing_address.city', 'features', 'lists'],
    features: ['user.age_ms'],
    lists: ['vip', 'b'],
  });
});

test('device_profile is an alias of likeness in names of features', () => {
  const features = RULE_FEATURES.filter((name) => name.includes('likeness'));
  expect(features.length).toBeGreaterThan(10);
  for (const name of features) {
    const alias = name.replace('likeness', 'device_profile');
    expect(compile(`known(features["${alias}"])`), alias).toMatchObject({ features: [name] });
  }
  const input = paymentInput({}, { 'likeness.payments': 7 });
  expect(matcher('features["device_profile.payments"] == 7 && features["likeness.payments"] == 7')(input)).toBe(true);
});

test('every variable and every feature can be used', () => {
  for (const { name, term } of VARIABLES) {
    const expression = {
      string: `${name} == ""`,
      number: `known(${name})`,
      bool: name,
      list: `size(${name}) == 0`,
      map: `size(${name}) == 0`,
    }[term.type];
    for (const input of [fullPayment(), eventInput()]) expect(typeof matcher(expression)(input)).toBe('boolean');
    matcher(`has(${name})`);
  }
  for (const name of RULE_FEATURES) matcher(`known(features["${name}"])`)(fullPayment());
});

describe('an error', () => {
  test.each<[string, string, string]>([
    ['amout > 100', '1:1', 'there is no variable `amout`; did you mean `amount`?'],
    ['amount > "x"', '1:1', '`>` does not work on number and string'],
    ['amount + 1', '1:1', 'the expression must be true or false (bool), not number'],
    ['amount = 1', '1:8', '`=` is not expected here; write `==`'],
    ['amount > 1 and score > 2', '1:12', '`and` is not expected here; write `&&`'],
    ['amount > 1 or score > 2', '1:12', '`or` is not expected here; write `||`'],
    ['amount >', '1:9', 'the expression is incomplete'],
    ['(amount > 1', '1:12', 'expected `)` here'],
    ['"abc', '1:1', 'unterminated string'],
    [
      'features["user.transactions.2h"] > 1',
      '1:10',
      'there is no feature `user.transactions.2h`; did you mean `user.transactions.1h`?',
    ],
    ['features[email] > 1', '1:10', 'the name of a feature must be a text in quotes'],
    ['features.user > 1', '1:10', 'write `features["…"]`, with the full name in quotes'],
    ['size(features) > 1', '1:6', 'name a feature: `features["user.transactions.1h"]`'],
    ['"velocity_spik" in signals', '1:1', 'there is no signal `velocity_spik`; did you mean `velocity_spike`?'],
    ['signals.exists(s, s == "new_devise")', '1:24', 'there is no signal `new_devise`; did you mean `new_device`?'],
    ['"rule.mine" in signals', '1:1', 'there is no signal `rule.mine`'],
    ['type == "transactions"', '1:9', 'there is no type `transactions`; did you mean `transaction`?'],
    ['event_type in ["login", "log_in"]', '1:25', 'there is no event type `log_in`; did you mean `login`?'],
    ['currency == "eur"', '1:13', 'currency codes are in capitals: write `EUR`'],
    ['ip_country == "UK"', '1:15', '`UK` is not a country code'],
    ['email_domain == "Example.com"', '1:17', 'this variable is in small letters: write `example.com`'],
    [
      'billing_address.cuontry == "DE"',
      '1:17',
      '`billing_address` has no field `cuontry`; did you mean `billing_address.country`?',
    ],
    ['has(amount, 1)', '1:1', 'use it as `has(email)`'],
    ['known(email)', '1:1', '`known` takes a number; for fields of a request use `has`'],
    ['email.startsWith(1)', '1:1', '`startsWith` does not work on number'],
    ['email.startsWith()', '1:1', 'use it as `text.startsWith("…")`'],
    ['ip_vpn == 1', '1:1', '`==` does not work on bool and number'],
    ['!amount', '1:1', '`!` does not work on number'],
    ['amount > 1 && email', '1:15', '`&&` needs bool on both sides, not string'],
    ['amount > 1 || score > 2 || score', '1:28', '`||` needs bool on both sides, not number'],
    ['amount ? true : false', '1:1', 'the condition before `?` must be bool, not number'],
    ['signals.exists(s, 1)', '1:19', 'the condition of `exists` must be bool, not number'],
  ])('%s', (expression, place, message) => {
    const error = errorOf(expression);
    expect([`${error.line}:${error.column}`, error.message.slice(0, message.length)]).toEqual([place, message]);
  });

  test.each<[string, string]>([
    ['amount > 1 &&\n\tamout > 2', '\tamout > 2\n\t^'],
    ['"😀" == email && amout > 2', '"😀" == email && amout > 2\n                ^'],
    ['score > 1 &&\r\n  amout > 2 // x', '  amout > 2 // x\n  ^'],
    ['"\t" == email &&\tamout > 2', '"\t" == email &&\tamout > 2\n \t             \t^'],
    [
      `${'score > 1 && '.repeat(10)}amout > 2`,
      `…${'score > 1 && '.repeat(10).slice(-60)}amout > 2\n${' '.repeat(61)}^`,
    ],
  ])('in %j has a caret under the place', (expression, excerpt) => {
    expect(errorOf(expression).excerpt).toBe(excerpt);
  });

  test('never shows a card number', () => {
    expect(errorOf('amout > 1 && payment_fingerprint == "4111 1111 1111 1111"').excerpt).not.toContain('1111 1111 11');
  });

  test('has line and column in characters', () => {
    expect(errorOf('"😀😀" == email && amout > 2')).toMatchObject({ line: 1, column: 18 });
    expect(errorOf('score > 1\n&& "é" == email\r\n&& amout > 2')).toMatchObject({ line: 3, column: 4 });
  });
});

/** Pieces of expressions; some combinations are valid. */
const words = fc.constantFrom(
  ...[
    'amount',
    'email',
    'metadata',
    'signals',
    'lists',
    'features',
    's',
    'x',
    '"new_device"',
    '"a"',
    '1',
    '2.5',
    'true',
  ],
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '.',
    ',',
    ' && ',
    ' || ',
    '!',
    '-',
    ' + ',
    ' * ',
    ' % ',
    ' in ',
    ' ? ',
    ' : ',
    ' == ',
    ' > ',
  ],
  ...[
    '.exists(s, ',
    '.size()',
    'has(',
    'known(',
    '.matches(',
    '["user.age_ms"]',
    '.__proto__',
    '.constructor',
    '\n',
    '\t',
    '"',
    "'",
    '//',
  ],
);
test('any text is compiled or refused, and a compiled one returns true or false', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(words, { maxLength: 25 }).map((all) => all.join('')),
        fc.string(),
      ),
      (expression) => {
        const compiled = compile(expression);
        if ('error' in compiled) {
          const { line, column, excerpt } = compiled.error;
          expect(line >= 1 && column >= 1 && excerpt.endsWith('^')).toBe(true);
        } else {
          for (const input of [fullPayment(), eventInput()]) expect(typeof compiled.matches(input)).toBe('boolean');
        }
      },
    ),
    { numRuns: 3000 },
  );
});
