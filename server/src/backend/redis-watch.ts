import type { Link } from './redis-link.ts';
import type { Marker } from './redis-marker.ts';
import type { Missed } from './redis-missed.ts';

/** Looks after Redis now and then, also where nobody asks anything of it: whether it answers, has all that was counted, and will keep it. */

const LOOK_MS = 5000;
/** One who has not said for so long that it remembers something is gone, and what it remembered is. */
const ALIVE_MS = 60_000;

export interface WatchOptions {
  readonly link: Link;
  readonly marker: Marker;
  readonly missed: Missed;
  /** Whether something waits to be told. */
  readonly remembers: () => boolean;
  readonly onFault: (message: string) => void;
  readonly onWarning: (message: string) => void;
}

/** The rule by which a server throws keys away; undefined where it throws none away, or does not say. */
const evictionOf = (info: string): string | undefined => {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  const isLimited = !/^maxmemory:0\s/m.test(info);
  return isLimited && policy !== 'noeviction' ? policy : undefined;
};

export const makeWatch = ({ link, marker, missed, remembers, onFault, onWarning }: WatchOptions) => {
  let isWhole = true;
  let isLossToTell = false;
  let isNoted = false;
  let eviction: string | undefined;
  let looking: Promise<void> | undefined;

  /** Others must know if we end before Redis is back. */
  const note = async (): Promise<void> => {
    if (remembers()) {
      isNoted = true;
      await missed.note(Date.now() + ALIVE_MS);
    } else if (isNoted) {
      await missed.clear();
      isNoted = false;
    }
  };
  const tellLosses = async (): Promise<void> => {
    const ended = await missed.ended(Date.now());
    if (isLossToTell || ended.length > 0) await marker.setLost();
    isLossToTell = false;
    for (const process of ended) await missed.forget(process);
  };
  const checkMarks = async (): Promise<void> => {
    const wasWhole = isWhole;
    isWhole = (await marker.check()) && !isLossToTell;
    if (wasWhole && !isWhole)
      onFault('Redis has lost histories: those it has are too young. `portcullis rebuild` makes them anew');
  };
  const checkMemory = async (): Promise<void> => {
    const infos = await Promise.all(link.servers().map((server) => link.ask(() => server.info('memory'))));
    const before = eviction;
    eviction = infos.map(evictionOf).find((policy) => policy !== undefined);
    if (eviction !== undefined && eviction !== before)
      onWarning(
        `Redis throws histories away when its memory is full (maxmemory-policy ${eviction}): set it to noeviction`,
      );
  };
  const lookAtAll = async (): Promise<void> => {
    for (const look of [note, ...(link.isHere() ? [tellLosses, checkMarks, checkMemory] : [])])
      try {
        await look();
      } catch {
        // It is looked at again. That Redis is away, the link has told; that the records are, whoever needs them.
      }
    looking = undefined;
  };
  const look = (): Promise<void> => {
    looking ??= lookAtAll();
    return looking;
  };
  const looks = setInterval(look, LOOK_MS);
  looks.unref();

  return {
    look,
    /** Something is remembered from now on: noted at once, for we may end at any moment. */
    onKept: (): void => {
      if (!isNoted) note().catch(() => {});
    },
    /** Something that was screened will never be told. */
    onLost: (): void => {
      if (!isLossToTell)
        onFault('Redis does not take what was screened, and no more can be remembered. `portcullis rebuild` counts it');
      isLossToTell = true;
      isWhole = false;
    },
    stats: () => ({ isWhole, mayEvict: eviction !== undefined }),
    /** Leaves word of what is still remembered: nobody will tell it any more. */
    close: async (): Promise<void> => {
      clearInterval(looks);
      await looking;
      if (remembers()) {
        onFault('It ends before Redis was told all that was screened. `portcullis rebuild` counts it');
        await missed.note(0);
      } else if (isNoted) await missed.clear();
      if (link.isHere()) await marker.leave();
    },
  };
};
export type Watch = ReturnType<typeof makeWatch>;
