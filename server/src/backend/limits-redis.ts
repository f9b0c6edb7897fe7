import { type Limits, MINUTE_MS, makeLocalLimits, type Taken } from './limits.ts';
import type { Link } from './redis-link.ts';

/** A process takes as many at once as it may use in a tenth of a second: busy callers wait for Redis seldom, and little is held back from others. */
const SLICES_PER_MINUTE = 600;

interface Stock {
  /** Taken from the shared bucket, not used yet. */
  own: number;
  /** What was left in the shared bucket when it was asked last. */
  left: number;
  /** When it was asked last, and until when it has nothing for anybody. */
  askedAt: number;
  emptyUntil: number;
  readonly waiting: ((taken: Taken) => void)[];
  isAsking: boolean;
}

/**
 * Buckets that all processes take from, in slices: a busy key costs Redis one command for a tenth of a second of its requests, and none of these
 * waits for it as long as the next slice is here before the last one is used up. All processes together never grant more than the bucket held.
 * Where Redis is away each process counts for itself, with what it granted before counted in.
 */
export const makeSharedLimits = (link: Link, prefix: string): Limits => {
  const local = makeLocalLimits();
  const stocks = new Map<string, Stock>();
  const keyOf = (name: string): string => `${prefix}:limit:{${name}}`;

  const stockOf = (name: string): Stock => {
    let stock = stocks.get(name);
    if (stock === undefined) {
      stock = { own: 0, left: 0, askedAt: 0, emptyUntil: 0, waiting: [], isAsking: false };
      stocks.set(name, stock);
    }
    return stock;
  };
  const use = (stock: Stock, name: string, perMinute: number, now: number): Taken => {
    stock.own -= 1;
    local.take(name, perMinute, now);
    return { granted: true, left: stock.left + stock.own };
  };

  /** Asks for those who wait and for a slice beyond them. Never rejects. */
  const ask = async (stock: Stock, name: string, perMinute: number, now: number): Promise<void> => {
    stock.isAsking = true;
    const slice = Math.ceil(perMinute / SLICES_PER_MINUTE);
    const beforehand = stock.waiting.length;
    const wanted = Math.max(slice, beforehand);
    let told: Pick<Stock, 'own' | 'left'> | undefined;
    try {
      const answer = await link.run('take', [keyOf(name)], [String(now), String(perMinute), String(wanted)]);
      const [granted, left] = String(answer).split(' ');
      told = { own: Number(granted), left: Number(left) };
    } catch {
      // It is away: whoever waits is counted here.
    }
    stock.isAsking = false;
    if (told !== undefined) {
      stock.own += told.own;
      stock.left = told.left;
      stock.askedAt = now;
      stock.emptyUntil = told.own < wanted ? now + ((1 - told.left) * MINUTE_MS) / perMinute : now;
    }
    // Those who came after it was asked may find it used up, and ask again.
    const waiting = stock.waiting.splice(0, told === undefined ? stock.waiting.length : beforehand);
    for (const tell of waiting) {
      if (told === undefined) tell(local.take(name, perMinute, now));
      else if (stock.own >= 1) tell(use(stock, name, perMinute, now));
      else tell({ granted: false, left: stock.left });
    }
    while (stock.waiting.length > 0 && stock.own >= 1) stock.waiting.shift()?.(use(stock, name, perMinute, now));
    if (stock.waiting.length > 0) void ask(stock, name, perMinute, now);
  };

  return {
    take: (name, perMinute, now) => {
      const stock = stockOf(name);
      if (stock.own >= 1) {
        const taken = use(stock, name, perMinute, now);
        const isLow = stock.own < Math.ceil(perMinute / SLICES_PER_MINUTE) / 2;
        if (isLow && stock.own > 0 && !stock.isAsking && link.answersFor(keyOf(name)))
          void ask(stock, name, perMinute, now);
        return taken;
      }
      // A clock that was set back says nothing of when it was empty.
      if (now >= stock.askedAt && now < stock.emptyUntil)
        return { granted: false, left: stock.left + ((now - stock.askedAt) * perMinute) / MINUTE_MS };
      if (!link.answersFor(keyOf(name))) return local.take(name, perMinute, now);
      return new Promise((resolve) => {
        stock.waiting.push(resolve);
        if (!stock.isAsking) void ask(stock, name, perMinute, now);
      });
    },
  };
};
