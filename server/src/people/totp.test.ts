import { expect, test } from 'vitest';
import { codeAt, newRecoveryCodes, newTotpSecret, plainRecoveryCode, stepOfCode, totpUri } from './totp.ts';

/** The secret of RFC 6238, appendix B: "12345678901234567890". */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at second %i the code is the one of RFC 6238', (seconds, code) => {
  expect(codeAt(SECRET, Math.floor(seconds / 30))).toBe(code);
});

const NOW = 1_800_000_000_000;
const step = NOW / 30_000;

test('a code works one step early and one step late, and no further', () => {
  const found = [-2, -1, 0, 1, 2].map((shift) => stepOfCode(SECRET, codeAt(SECRET, step + shift), NOW, null));
  expect(found).toEqual([undefined, step - 1, step, step + 1, undefined]);
});

test('a code of a used step, or of one before it, is wrong', () => {
  expect(stepOfCode(SECRET, codeAt(SECRET, step), NOW, step)).toBe(undefined);
  expect(stepOfCode(SECRET, codeAt(SECRET, step - 1), NOW, step)).toBe(undefined);
  expect(stepOfCode(SECRET, codeAt(SECRET, step + 1), NOW, step)).toBe(step + 1);
});

test.each(['', '12345', '1234567', 'abcdef', '１２３４５６'])('a text that is no code is wrong: %j', (code) => {
  expect(stepOfCode(SECRET, code, NOW, null)).toBe(undefined);
});

test('secrets have 160 bits, and no two are the same', () => {
  const secrets = Array.from({ length: 100 }, newTotpSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
});

test('a recovery code may be typed in capitals and without hyphens', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  const [code = ''] = codes;
  expect(code).toMatch(/^(?:[a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  expect(plainRecoveryCode(code.toUpperCase().replaceAll('-', ' '))).toBe(plainRecoveryCode(code));
});

test('the address for apps names the person and the service', () => {
  expect(totpUri(SECRET, 'mara+x@example.com')).toBe(
    `otpauth://totp/Portcullis:mara%2Bx%40example.com?secret=${SECRET}&issuer=Portcullis`,
  );
});
