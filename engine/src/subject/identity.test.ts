import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kindIndex, RELATED_KINDS, type RelatedKind } from './entity.ts';
import { identifyOffline, makeIdentities } from './identity.ts';
import { digest, messageWords, sipHash, sipKeyOf } from './siphash.ts';

const bytesTo = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i);
const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const sipHex = (key: Uint8Array, message: Uint8Array): string => {
  const words = messageWords(message.length).fill(0);
  new Uint8Array(words.buffer).set(message);
  sipHash(sipKeyOf(key), message.length);
  return hex(new Uint8Array(digest.slice().buffer));
};

/** The first test vectors of the reference implementation: key 00 01 … 0f, messages of 0, 1, 2 … bytes 00 01 02 …. */
const VECTORS = `a3817f04ba25a8e66df67214c7550293 da87c1d86b99af44347659119b22fc45 8177228da4a45dc7fca38bdef60affe4
  9c70b60c5267a94e5f33b6b02985ed51 f88164c12d9c8faf7d0f6e7c7bcd5579 1368875980776f8854527a07690e9627
  14eeca338b208613485ea0308fd7a15e a1f1ebbed8dbc153c0b84aa61ff08239 3b62a9ba6258f5610f83e264f31497b4
  264499060ad9baabc47f8b02bb6d71ed 00110dc378146956c95447d3f3d0fbba 0151c568386b6677a2b4dc6f81e5dc18
  d626b266905ef35882634df68532c125 9869e247e9c08b10d029934fc4b952f7 31fcefac66d7de9c7ec7485fe4494902
  5493e99933b0a8117e08ec0f97cfc3d9`.split(/\s+/);

/** SipHash-2-4-128 as the paper writes it, with 64-bit integers. */
const reference = (key: Uint8Array, message: Uint8Array): string => {
  const wrap = (value: bigint): bigint => BigInt.asUintN(64, value);
  const rotate = (value: bigint, by: bigint): bigint => wrap((value << by) | (value >> (64n - by)));
  const word = (bytes: Uint8Array, at: number): bigint =>
    new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at, true);
  const [k0, k1] = [word(key, 0), word(key, 8)];
  let [v0, v1] = [k0 ^ 0x736f6d6570736575n, k1 ^ 0x646f72616e646f6dn ^ 0xeen];
  let [v2, v3] = [k0 ^ 0x6c7967656e657261n, k1 ^ 0x7465646279746573n];
  const round = (): void => {
    v0 = wrap(v0 + v1);
    v1 = rotate(v1, 13n) ^ v0;
    v0 = rotate(v0, 32n);
    v2 = wrap(v2 + v3);
    v3 = rotate(v3, 16n) ^ v2;
    v0 = wrap(v0 + v3);
    v3 = rotate(v3, 21n) ^ v0;
    v2 = wrap(v2 + v1);
    v1 = rotate(v1, 17n) ^ v2;
    v2 = rotate(v2, 32n);
  };
  const padded = new Uint8Array((Math.floor(message.length / 8) + 1) * 8);
  padded.set(message);
  padded[padded.length - 1] = message.length & 255;
  for (let at = 0; at < padded.length; at += 8) {
    const m = word(padded, at);
    v3 ^= m;
    for (let i = 0; i < 2; i++) round();
    v0 ^= m;
  }
  v2 ^= 0xeen;
  for (let i = 0; i < 4; i++) round();
  const low = v0 ^ v1 ^ v2 ^ v3;
  v1 ^= 0xddn;
  for (let i = 0; i < 4; i++) round();
  const result = new DataView(new ArrayBuffer(16));
  result.setBigUint64(0, low, true);
  result.setBigUint64(8, v0 ^ v1 ^ v2 ^ v3, true);
  return hex(new Uint8Array(result.buffer));
};

describe('SipHash', () => {
  test('gives the published results', () => {
    expect(VECTORS.map((_, length) => sipHex(bytesTo(16), bytesTo(length)))).toEqual(VECTORS);
  });

  test('gives the results of 64-bit arithmetic for any key and message', () => {
    const key = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(key, fc.uint8Array({ maxLength: 70 }), (of, message) => {
        expect(sipHex(of, message)).toBe(reference(of, message));
      }),
    );
  });

  test('hashes messages longer than its first buffer', () => {
    const long = bytesTo(9001);
    expect(sipHex(bytesTo(16), long)).toBe(reference(bytesTo(16), long));
  });

  test('refuses a key of another length', () => {
    expect(() => makeIdentities(new Uint8Array(15))).toThrow('16 bytes');
  });
});

const identityOf = (identify: typeof identifyOffline, kind: number, name: string): [number, number] => {
  const [keys, checks]: [number[], number[]] = [[], []];
  identify(kind, name, keys, checks);
  return [keys[kind] as number, checks[kind] as number];
};

describe('an identity', () => {
  const of = makeIdentities(bytesTo(16));

  test('is two exact numbers, the same each time', () => {
    const kind = fc.nat(RELATED_KINDS.length - 1);
    fc.assert(
      fc.property(kind, fc.string({ unit: 'binary', maxLength: 30 }), (kind, name) => {
        const [key, check] = identityOf(of(1), kind, name);
        expect([key, check].every((number) => Number.isSafeInteger(number) && number >= 0)).toBe(true);
        expect(key).not.toBe(0);
        expect(identityOf(makeIdentities(bytesTo(16))(1), kind, name)).toEqual([key, check]);
      }),
    );
  });

  test('stays the same, since histories are stored under it', () => {
    expect(identityOf(of(7), kindIndex.user, 'ada')).toEqual([3_515_525_902_238_637, 6_936_085_517_837_323]);
    expect(identityOf(of(7), kindIndex.user, 'ada ✓')).toEqual([2_062_261_029_549_716, 5_543_661_723_618_612]);
  });

  /** The released codes of the kinds: another code would give an entity another identity. */
  const CODES: [RelatedKind, number][] = [
    ['user', 0],
    ['domain', 8],
    ['likeness', 9],
    ['token', 12],
    ['shipping', 13],
    ['recurring', 14],
  ];

  test('is SipHash of the code of the kind and the bytes of the name, one or two a character', () => {
    const subkey = Uint8Array.from(sipHex(bytesTo(16), Uint8Array.from([0xff, 0x37])).match(/../g) ?? [], (byte) =>
      Number.parseInt(byte, 16),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...CODES),
        fc.string({ unit: fc.constantFrom('a', '7', 'é', 'ÿ', 'ā', '✓', '\ud83d') }),
        ([kind, code], name) => {
          const isWide = [...name].some((character) => character.charCodeAt(0) > 0xff);
          const units = [...name].map((character) => character.charCodeAt(0));
          const bytes = isWide ? units.flatMap((unit) => [unit & 0xff, unit >>> 8]) : units;
          const message = Uint8Array.from([code | (isWide ? 0x80 : 0), ...bytes]);
          const view = new DataView(
            Uint8Array.from(reference(subkey, message).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)).buffer,
          );
          const number = (at: number) => (view.getUint32(at + 4, true) >>> 11) * 2 ** 32 + view.getUint32(at, true);
          expect(identityOf(of(7), kindIndex[kind], name)).toEqual([number(0), number(8)]);
        },
      ),
    );
  });

  test('differs for each installation, tenant, kind and name', () => {
    const other = makeIdentities(new Uint8Array(16).fill(7));
    const names = ['', 'a', 'ab', 'a\0', '\0a', 'ā', 'a\u0001', '\u0161', 'aš', '\ud800', '1', '01', 'é', 'e\u0301'];
    const all = [of, other].flatMap((installation) =>
      [1, 2, 12].flatMap((tenant) =>
        RELATED_KINDS.flatMap((_, kind) => names.map((name) => identityOf(installation(tenant), kind, name))),
      ),
    );
    expect(new Set(all.map(([key]) => key)).size).toBe(all.length);
    expect(new Set(all.map(([, check]) => check)).size).toBe(all.length);
  });

  test('uses all bits: each bit of key and check is set in about half of all identities', () => {
    const counts = new Float64Array(106);
    for (let i = 0; i < 4000; i++)
      for (const [half, number] of identityOf(identifyOffline, 0, `user_${i}`).entries())
        for (let bit = 0; bit < 53; bit++)
          if (Math.floor(number / 2 ** bit) % 2 === 1) (counts[53 * half + bit] as number)++;
    expect(Math.min(...counts)).toBeGreaterThan(1800);
    expect(Math.max(...counts)).toBeLessThan(2200);
  });
});
