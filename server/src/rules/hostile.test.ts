import { describe, expect, test } from 'vitest';
import { eventInput, fullPayment, paymentInput } from '../../test/rule-inputs.ts';
import { compile } from './compile.ts';
import { LONGEST } from './parse.ts';

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
  'texts doubled again and again': `${repeat('(', 20)}email${repeat(' + email)', 20)} == ""`,
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
  'deep members': `metadata${repeat('.a', 900)} == ""`,
  'a chain of calls': `email${repeat('.trim()', 300)} == ""`,
  'too many parts': repeat('ip_vpn', 300, '&&'),
  'too many parts in arithmetic': `${repeat('score', 300, '+')} > 1`,
  'too many values': `amount in [${repeat('1', 501, ',')}]`,
  'too many steps in a loop': `metadata.exists(k, ${repeat('metadata[k].contains("x")', 20, ' || ')})`,
  'lists looked through too often': `metadata.exists(k, ${repeat('k in lists', 8, ' || ')})`,
  'signals looked through too often': `metadata.exists(k, ${repeat('k in signals', 8, ' || ')})`,
  'members counted too often': `metadata.exists(k, ${repeat('size(metadata) > 50', 8, ' || ')})`,
  'a long text looked through too often': repeat('device_token.contains("ab")', 26, ' || '),
  'a long text changed and looked through': repeat('device_token.trim().contains("ab")', 14, ' || '),
  'too long': `email == "${repeat('a', LONGEST)}"`,
  'a number beyond all': `amount > ${repeat('9', 3000)}`,
  'an exponent beyond all': 'amount > 1e999',
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
  'the length of a list by its member': 'signals.length > 1',
  'an index into a list': 'signals[0] == "new_device"',
  'an index into a text': 'email[0] == "a"',
  'a feature that is no name': 'features["__proto__"] > 1',
  'a feature that every object has': 'features["constructor"] > 1',
  'a feature made up': 'features[email + "x"] > 1',
  'members of the process': 'process.env.HOME == ""',
  'the global object': 'globalThis == ""',
  'a loop over a text': 'email.exists(c, c == "a")',
  'a loop that takes the name of a variable': 'signals.exists(amount, amount == "new_device")',
  'a loop without a name': 'signals.exists(1, true)',
  'nothing at all': '   ',
  'a note alone': '// amount > 1',
  'two expressions': 'true; true',
  'no bool': '"true"',
  null: 'null == null',
};

/** Taken, and so must cost little and reach nothing, whatever the request. */
const BOUNDED: Readonly<Record<string, string>> = {
  'a key every object has': 'metadata["__proto__"] == "" && metadata.constructor == "" && !("toString" in metadata)',
  'the longest list': `amount in [${repeat('1', 500, ',')}]`,
  'a long chain': repeat('amount>1', 120, '||'),
  'a long text': `email == "${repeat('a', 3900)}"`,
  'a loop over everything': 'metadata.all(k, metadata[k].contains("aaaaaaaaaaaab") || k.size() < 100)',
  'a long text looked through as often as can be': repeat('device_token.contains("ab")', 24, ' || '),
  'as many texts looked through as can be': repeat('metadata.key_1.contains("ab")', 80, ' || '),
  'lists looked through as often as can be': `metadata.exists(k, ${repeat('k in lists', 6, ' || ')})`,
  'members counted as often as can be': `metadata.exists(k, ${repeat('size(metadata) > 50', 6, ' || ')})`,
  'a text given to a literal': `"${repeat('a', 3900)}".contains(email)`,
  'division by nothing': 'amount / 0 > 1 && amount % 0 != 1',
  'numbers without end': `amount ${repeat('* 1e300', 10)} > 1`,
};

/** Milliseconds of work done by this thread: unlike those that pass, they do not depend on what else the machine does. */
const workedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

describe('refused, quickly:', () => {
  test.each(Object.entries(REFUSED))('%s', (_, expression) => {
    const before = workedMs();
    expect(compile(expression)).toHaveProperty('fault');
    expect(workedMs() - before).toBeLessThan(200);
  });
});

describe('each limit is told by its name:', () => {
  test.each([
    ['a loop must not stand in another', 'signals.exists(a, lists.exists(b, true))'],
    ['more than 500 parts', repeat('ip_vpn', 300, '&&')],
    ['more than 50 levels', `${repeat('!', 100)}true`],
    ['more than 50 levels', `${repeat('(', 60)}true${repeat(')', 60)}`],
    ['more than 500 values', `amount in [${repeat('1', 501, ',')}]`],
    ['at most 20 values', `[${repeat('1', 21, ',')}].exists(x, x == 1)`],
    ['more than 20000 steps', repeat('device_token.contains("ab")', 26, ' || ')],
    ['more than 4000 characters', `email == "${repeat('a', LONGEST)}"`],
  ])('%s', (message, expression) => {
    expect(compile(expression)).toMatchObject({ fault: { message: expect.stringContaining(message) } });
  });
});

test('there are at least forty of them', () => {
  expect(Object.keys(REFUSED).length).toBeGreaterThanOrEqual(40);
});

const LARGE = paymentInput({
  email: `${'a'.repeat(300)}@example.com`,
  device_token: 'a'.repeat(4096),
  metadata: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`key_${i}`, 'a'.repeat(500)])),
});

describe('taken, and bounded:', () => {
  test.each(Object.entries(BOUNDED))('%s', (_, expression) => {
    const compiled = compile(expression);
    if ('fault' in compiled) throw new Error(compiled.fault.message);
    for (const input of [fullPayment(), eventInput(), LARGE]) expect(typeof compiled.matches(input)).toBe('boolean');
    const before = workedMs();
    const times = 20;
    for (let i = 0; i < times; i++) compiled.matches(LARGE);
    // The largest request there can be, and texts that are hard to look through.
    expect((workedMs() - before) / times).toBeLessThan(5);
  });
});

test('nothing an expression says changes what all objects have', () => {
  const before = Object.getOwnPropertyNames(Object.prototype).sort();
  for (const expression of [...Object.values(REFUSED), ...Object.values(BOUNDED)]) {
    const compiled = compile(expression);
    if (!('fault' in compiled)) compiled.matches(fullPayment());
  }
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
});
