/**
 * Address ranges, sorted by start. A range ends where the next begins. IPv4 ranges are grouped by the first half of the
 * address, so only the second half of each start is stored. IPv6 starts are stored as 48 bits, because
 * longer prefixes are not routed on the internet.
 */
export interface Ranges {
  /** The index of the first range of each first half, plus one entry for the end. */
  readonly v4Pages: Uint32Array;
  readonly v4Starts: Uint16Array;
  readonly v6Highs: Uint32Array;
  readonly v6Lows: Uint16Array;
}

/** The index of the range of an address. The first range of both families begins at zero, so there always is one. */
export const findV4 = ({ v4Pages, v4Starts }: Ranges, address: number): number => {
  const page = address >>> 16;
  const rest = address & 0xffff;
  let low = v4Pages[page] as number;
  let high = v4Pages[page + 1] as number;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((v4Starts[middle] as number) <= rest) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

export const findV6 = ({ v6Highs, v6Lows }: Ranges, first: number, second: number): number => {
  const rest = second >>> 16;
  let low = 0;
  let high = v6Highs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = v6Highs[middle] as number;
    if (start < first || (start === first && (v6Lows[middle] as number) <= rest)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};
