import { describe, expect, test } from 'vitest';
import { eventInput, fullPayment, paymentInput } from '../../test/fixtures/rule-inputs.ts';
import { compile } from './compile.ts';
import { MAX_LENGTH } from './parse.ts';

const repeat = (text: string, times: number, between = ''): string => Array(times).fill(text).join(between);

const REFUSED: Readonly<Record<string, string>> = {
  'a regular expression': 'email.matches("(a+)+$")',
  'a regular expression as a function': 'matches(email, "(a|a)*b")',
  'a regular expression in a loop': 'signals.exists(s, s.matches(".*.*.*x"))',
  'a loop in a loop': 'signals.exists(a, signals.exists(b, a == b))',
  'three loops in each other': 'signals.all(a, lists.all(b, metadata.all(c, a == b)))',
  'a loop hidden in the size of a filter in a loop': 'signals.exists(a, signals.filter(b, b == a).size() > 1)',
  'a loop over a long literal': `[${repeat('1', 400, ',')}].exists(x, x == 1)`,
  'a list built by map': 'signals.map(s, s).size() > 0',
  'a map of a map': 'signals.map(a, signals.map(b, signals)).size() > 0',
  'a map with a filter': 'signals.map(s, true, s).size() > 0',
  'texts joined': 'email + email == ""',
  'texts doubled repeatedly': `${repeat('(', 20)}email${repeat(' + email)', 20)} == ""`,
  'lists joined': 'signals + signals == signals',
  'a joined text': 'signals.join(",") == ""',
  'a split text': 'email.split("") == []',
  'a text cut': 'email.substring(0) == ""',
  'names bound to values': 'cel.bind(a, email, cel.bind(b, a, a == b))',
  'deep brackets': `${repeat('(', 60)}true${repeat(')', 60)}`,
  'very deep brackets': `${repeat('(', 1990)}true${repeat(')', 1990)}`,
  'many signs': `${repeat('!', 3900)}true`,
  'many minuses': `amount > ${repeat('- ', 1900)}1`,
  'deep lists': `amount in ${repeat('[', 60)}1${repeat(']', 60)}`,
  'deep choices': `${repeat('true ? true : ', 60)}true`,
  'deep indexes': `metadata${repeat('["a"]', 60)} == ""`,
  'deep fields': `metadata${repeat('.a', 900)} == ""`,
  'a chain of calls': `email${repeat('.trim()', 300)} == ""`,
  'too many parts': repeat('ip_vpn', 300, '&&'),
  'too many parts in arithmetic': `${repeat('score', 300, '+')} > 1`,
  'too many values': `amount in [${repeat('1', 501, ',')}]`,
  'too many steps in a loop': `metadata.exists(k, ${repeat('metadata[k].contains("x")', 20, ' || ')})`,
  'lists searched too often': `metadata.exists(k, ${repeat('k in lists', 8, ' || ')})`,
  'signals searched too often': `metadata.exists(k, ${repeat('k in signals', 8, ' || ')})`,
  'fields counted too often': `metadata.exists(k, ${repeat('size(metadata) > 50', 8, ' || ')})`,
  'a long text searched too often': repeat('device_token.contains("ab")', 26, ' || '),
  'a long text changed and searched': repeat('device_token.trim().contains("ab")', 14, ' || '),
  'too long': `email == "${repeat('a', MAX_LENGTH)}"`,
  'a number that is too large': `amount > ${repeat('9', 3000)}`,
  'an exponent that is too large': 'amount > 1e999',
  'a map literal': '{"a": 1}["a"] == 1',
  'a message literal': 'Request{amount: 1} == 1',
  bytes: 'b"abc" == b"abc"',
  'bytes of a text': 'bytes(email).json() == 1',
  'a time': 'timestamp("2026-01-01T00:00:00Z") < timestamp("2027-01-01T00:00:00Z")',
  'a duration': 'duration("9999999999999h") > duration("1s")',
  types: 'type(amount) == double',
  'dynamic values': 'dyn(email) == dyn(1)',
  'the prototype of a variable': 'email.__proto__ == ""',
  'the constructor of a variable': 'signals.constructor == ""',
  'the constructor of the constructor': 'email.constructor.constructor("return process")()',
  'the prototype as a variable': '__proto__ == ""',
  'the constructor as a variable': 'constructor == ""',
  'a method every object has': 'email.toString() == ""',
  'a function every object has': 'hasOwnProperty("amount")',
  'the length of a list as a field': 'signals.length > 1',
  'an index into a list': 'signals[0] == "new_device"',
  'an index into a text': 'email[0] == "a"',
  'the prototype as a feature': 'features["__proto__"] > 1',
  'the constructor as a feature': 'features["constructor"] > 1',
  'a computed feature name': 'features[email + "x"] > 1',
  'fields of the process': 'process.env.HOME == ""',
  'the global object': 'globalThis == ""',
  'a loop over a text': 'email.exists(c, c == "a")',
  'a loop with the name of a variable': 'signals.exists(amount, amount == "new_device")',
  'a loop without a name': 'signals.exists(1, true)',
  'only spaces': '   ',
  'only a comment': '// amount > 1',
  'two expressions': 'true; true',
  'a text instead of bool': '"true"',
  null: 'null == null',
};

/** Valid, so they must be cheap and reach nothing, for any request. */
const BOUNDED: Readonly<Record<string, string>> = {
  'a key every object has': 'metadata["__proto__"] == "" && metadata.constructor == "" && !("toString" in metadata)',
  'the longest list': `amount in [${repeat('1', 500, ',')}]`,
  'a long chain': repeat('amount>1', 120, '||'),
  'a long text': `email == "${repeat('a', 3900)}"`,
  'a loop over everything': 'metadata.all(k, metadata[k].contains("aaaaaaaaaaaab") || k.size() < 100)',
  'a long text searched as often as possible': repeat('device_token.contains("ab")', 24, ' || '),
  'as many texts searched as possible': repeat('metadata.key_1.contains("ab")', 80, ' || '),
  'lists searched as often as possible': `metadata.exists(k, ${repeat('k in lists', 6, ' || ')})`,
  'fields counted as often as possible': `metadata.exists(k, ${repeat('size(metadata) > 50', 6, ' || ')})`,
  'a literal that contains a text': `"${repeat('a', 3900)}".contains(email)`,
  'division by zero': 'amount / 0 > 1 && amount % 0 != 1',
  'numbers that overflow': `amount ${repeat('* 1e300', 10)} > 1`,
};

/** CPU time of this thread in milliseconds. Unlike elapsed time, it does not depend on the load of the machine. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

describe('refuses quickly:', () => {
  test.each(Object.entries(REFUSED))('%s', (_, expression) => {
    const before = cpuMs();
    expect(compile(expression)).toHaveProperty('error');
    expect(cpuMs() - before).toBeLessThan(200);
  });
});

describe('names each limit:', () => {
  test.each([
    ['a loop must not contain another loop', 'signals.exists(a, lists.exists(b, true))'],
    ['more than 500 parts', repeat('ip_vpn', 300, '&&')],
    ['more than 50 levels', `${repeat('!', 100)}true`],
    ['more than 50 levels', `${repeat('(', 60)}true${repeat(')', 60)}`],
    ['more than 500 values', `amount in [${repeat('1', 501, ',')}]`],
    ['at most 20 literal values', `[${repeat('1', 21, ',')}].exists(x, x == 1)`],
    ['more than 20000 steps', repeat('device_token.contains("ab")', 26, ' || ')],
    ['more than 4000 characters', `email == "${repeat('a', MAX_LENGTH)}"`],
  ])('%s', (message, expression) => {
    expect(compile(expression)).toMatchObject({ error: { message: expect.stringContaining(message) } });
  });
});

test('at least forty hostile expressions are refused', () => {
  expect(Object.keys(REFUSED).length).toBeGreaterThanOrEqual(40);
});

const LARGE = paymentInput({
  email: `${'a'.repeat(300)}@example.com`,
  device_token: 'a'.repeat(4096),
  metadata: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`key_${i}`, 'a'.repeat(500)])),
});

describe('accepts with bounded cost:', () => {
  test.each(Object.entries(BOUNDED))('%s', (_, expression) => {
    const compiled = compile(expression);
    if ('error' in compiled) throw new Error(compiled.error.message);
    for (const input of [fullPayment(), eventInput(), LARGE]) expect(typeof compiled.matches(input)).toBe('boolean');
    const before = cpuMs();
    const times = 20;
    for (let i = 0; i < times; i++) compiled.matches(LARGE);
    // The largest possible request, with texts that are slow to search.
    expect((cpuMs() - before) / times).toBeLessThan(5);
  });
});

test('no expression changes Object.prototype', () => {
  const before = Object.getOwnPropertyNames(Object.prototype).sort();
  for (const expression of [...Object.values(REFUSED), ...Object.values(BOUNDED)]) {
    const compiled = compile(expression);
    if (!('error' in compiled)) compiled.matches(fullPayment());
  }
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
});
