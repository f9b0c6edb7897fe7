/** Words that common passwords of twelve and more characters are made of. */
const WORDS = [
  'password',
  'passwort',
  'passw0rd',
  'qwerty',
  'qwertz',
  'azerty',
  'asdfgh',
  'zxcvbn',
  'letmein',
  'welcome',
  'admin',
  'administrator',
  'iloveyou',
  'dragon',
  'monkey',
  'sunshine',
  'princess',
  'football',
  'baseball',
  'superman',
  'trustno1',
  'master',
  'shadow',
  'michael',
  'charlie',
  'secret',
  'changeme',
  'default',
  'portcullis',
  'company',
  'summer',
  'winter',
  'spring',
  'autumn',
  'login',
  'test',
  'user',
  'root',
  'hello',
  'abc',
];
const SEQUENCES = [
  '01234567890123456789',
  '98765432109876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
];
const WORD = new RegExp(WORDS.sort((a, b) => b.length - a.length).join('|'), 'g');

/** A part of a sequence, such as 345678, or one character repeated. */
const isRun = (text: string): boolean =>
  new Set(text).size <= 2 || SEQUENCES.some((sequence) => sequence.includes(text));

/**
 * Whether a password is common: words from the list, digits, signs, runs and the person's own e-mail address, with
 * fewer than four characters of anything else.
 */
export const isCommon = (password: string, email: string): boolean => {
  const lower = password.toLowerCase();
  if (isRun(lower)) return true;
  const own = email.split('@', 1)[0] as string;
  const rest = (own.length < 4 ? lower : lower.replaceAll(own, ' ')).replaceAll(WORD, ' ').split(/[\d\s\p{P}\p{S}]+/u);
  const left = rest.filter((part) => !isRun(part)).join('');
  // Digits alone are no password either, however many they are.
  return left.length < 4 && new Set(lower.replaceAll(/\p{L}/gu, '')).size < 10;
};
