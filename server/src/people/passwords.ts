import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type ErrorDetail, MIN_PASSWORD_LENGTH } from '@portcullis/contract';
import { unavailable } from '../validation/errors.ts';
import { isCommon } from './common-passwords.ts';

/** Cost of a hash: 19 MiB and two passes, the first recommendation of OWASP for Argon2id. About 50 ms. */
interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** Hashes that run at once in a process, so that signing in takes neither memory nor threads from screenings. */
const AT_ONCE = 2;
const MAX_WAITING = 100;

const runArgon2 = promisify(argon2);
const STORED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

/** Letters typed on different systems have different code points for the same text. */
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize('NFKC'));

/** Runs up to `AT_ONCE` tasks at a time, the others in the order they came. */
const makeQueue = () => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running < AT_ONCE) running++;
    else {
      if (waiting.length >= MAX_WAITING) throw unavailable('Too many people are signing in.');
      // A hash that ends hands its place to the next one, so the count stays.
      await new Promise<void>((resolve) => void waiting.push(resolve));
    }
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
};

export interface Checked {
  readonly isCorrect: boolean;
  /** Whether the hash was made at another cost. */
  readonly isOutdated: boolean;
}

/** Hashes and checks passwords with Argon2id. `onHash` is called for each computation. */
export const makePasswords = (onHash: () => void) => {
  const inQueue = makeQueue();
  const compute = (password: string, nonce: Buffer, cost: Cost, tagLength: number): Promise<Buffer> =>
    inQueue(() => {
      onHash();
      return runArgon2('argon2id', { message: bytesOf(password), nonce, tagLength, ...cost }) as Promise<Buffer>;
    });
  const hash = async (password: string): Promise<string> => {
    const salt = randomBytes(SALT_BYTES);
    const tag = await compute(password, salt, COST, TAG_BYTES);
    const { memory, passes, parallelism } = COST;
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
  };
  return {
    hash,
    /** Without a stored hash it computes one too, so that the time does not tell whether a person exists. */
    check: async (password: string, stored: string | null): Promise<Checked> => {
      const [, memory, passes, parallelism, salt, tag] = STORED.exec(stored ?? '') ?? [];
      if (salt === undefined || tag === undefined) {
        await compute(password, randomBytes(SALT_BYTES), COST, TAG_BYTES);
        return { isCorrect: false, isOutdated: false };
      }
      const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
      const expected = Buffer.from(tag, 'base64');
      const found = await compute(password, Buffer.from(salt, 'base64'), cost, expected.length);
      const isOutdated = cost.memory !== COST.memory || cost.passes !== COST.passes;
      return { isCorrect: timingSafeEqual(found, expected), isOutdated };
    },
  };
};
export type Passwords = ReturnType<typeof makePasswords>;

/** What is wrong with a new password. */
export const passwordErrors = (password: string, email: string): ErrorDetail[] => {
  const message =
    [...password.normalize('NFKC')].length < MIN_PASSWORD_LENGTH
      ? `must have at least ${MIN_PASSWORD_LENGTH} characters`
      : isCommon(password, email)
        ? 'is too common: choose one that others would not guess, such as four words'
        : undefined;
  return message === undefined ? [] : [{ field: 'password', message }];
};
