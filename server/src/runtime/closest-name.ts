/** Damerau-Levenshtein distance: letters to add, remove, change, or swap with a neighbour. */
const distance = (a: string, b: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((last[j] as number) + 1, (row[j - 1] as number) + 1, (last[j - 1] as number) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (beforeLast[j - 2] as number) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] as number;
};

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
const LONGEST = 64;

/** The known name closest to a misspelled one, ignoring case and punctuation; undefined if none is close. */
export const closestName = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > LONGEST) return undefined;
  const wanted = plain(name);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const other = plain(candidate);
    // The distance is at least the difference in length, which rules out most names cheaply.
    if (Math.abs(other.length - wanted.length) >= bestDistance) continue;
    const away = distance(wanted, other);
    if (away < bestDistance) {
      best = candidate;
      bestDistance = away;
    }
  }
  return best;
};
