/** Somebody at a place, and when they were seen there last. */
export interface Seen {
  readonly who: string;
  readonly at: number;
}

/** Who is where, for a short time. It is not stored: it may be lost at any time, and ends by itself. */
export interface Presence {
  /** Notes that somebody is at a place. */
  see(place: string, who: string, now: number): Promise<void>;
  /** Who was seen at a place within the last `PRESENT_MS`. */
  at(place: string, now: number): Promise<Seen[]>;
}

export const PRESENT_MS = 45_000;
/** Names at one place. Further ones are not noted: a key could send any number of them. */
export const MAX_PRESENT = 50;
/** Places, before those that everybody has left are forgotten. */
const MANY_PLACES = 1000;

export const isPresent = (at: number, now: number): boolean => now - at < PRESENT_MS;

/** In the memory of this process. */
export const makeLocalPresence = (): Presence => {
  const places = new Map<string, Map<string, number>>();
  const forget = (now: number): void => {
    for (const [place, seen] of places) if (![...seen.values()].some((at) => isPresent(at, now))) places.delete(place);
  };
  return {
    see: async (place, who, now) => {
      if (places.size >= MANY_PLACES && !places.has(place)) forget(now);
      const seen = new Map([...(places.get(place) ?? [])].filter(([, at]) => isPresent(at, now)));
      if (seen.has(who) || seen.size < MAX_PRESENT) seen.set(who, now);
      places.set(place, seen);
    },
    at: async (place, now) =>
      [...(places.get(place) ?? [])].filter(([, at]) => isPresent(at, now)).map(([who, at]) => ({ who, at })),
  };
};
