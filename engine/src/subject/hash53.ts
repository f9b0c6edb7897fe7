const HIGH_BITS = 21;
const TWO_32 = 2 ** 32;

/**
 * A 53-bit hash of a string. Anyone can construct strings with equal hashes, so it must not identify anything that a
 * sender could gain from. It names model files, and condenses the properties of a device token: a sender can
 * send the properties of another device anyway.
 */
export const hash53 = (value: string): number => {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 13);
  }
  low = Math.imul(low ^ (low >>> 16), 0x7feb352d);
  high = Math.imul(high ^ (high >>> 15) ^ low, 0x846ca68b);
  low ^= low >>> 15;
  high ^= high >>> 16;
  return (high >>> (32 - HIGH_BITS)) * TWO_32 + (low >>> 0);
};
