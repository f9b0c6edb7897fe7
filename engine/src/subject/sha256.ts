/** SHA-256 (FIPS 180-4) of bytes, without Node: the engine runs anywhere. */

const firstPrimes = (count: number): number[] => {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
};
/** The first 32 bits of the fraction. */
const fractionOf = (value: number): number => ((value - Math.floor(value)) * 2 ** 32) | 0;
const ROUND_CONSTANTS = Int32Array.from(firstPrimes(64), (prime) => fractionOf(Math.cbrt(prime)));
const FIRST_STATE = Int32Array.from(firstPrimes(8), (prime) => fractionOf(Math.sqrt(prime)));

const BLOCK = 64;
const rotate = (value: number, by: number): number => (value >>> by) | (value << (32 - by));

const schedule = new Int32Array(BLOCK);
const fillSchedule = (view: DataView, at: number): void => {
  for (let i = 0; i < 16; i++) schedule[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < BLOCK; i++) {
    const early = schedule[i - 15] as number;
    const late = schedule[i - 2] as number;
    const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[i] = (schedule[i - 16] as number) + first + (schedule[i - 7] as number) + second;
  }
};

const compress = (state: Int32Array): void => {
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let i = 0; i < BLOCK; i++) {
    const mixed = (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g));
    const first = (h + mixed + (ROUND_CONSTANTS[i] as number) + (schedule[i] as number)) | 0;
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  const added = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < added.length; i++) state[i] = (state[i] as number) + (added[i] as number);
};

/** The digest as eight words. */
export const sha256 = (bytes: Uint8Array): Uint32Array => {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = FIRST_STATE.slice();
  for (let at = 0; at < padded.length; at += BLOCK) {
    fillSchedule(view, at);
    compress(state);
  }
  return new Uint32Array(state);
};
