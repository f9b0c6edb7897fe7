import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';

type LookupCallback = (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void;

/** Same signature as `dns.lookup`, for all addresses of a name. */
export type Lookup = (name: string, options: { all: true }, done: LookupCallback) => void;

/** Two tries fit into the time limit of an exchange. */
const TIMEOUT_MS = 2000;
const TRIES = 2;
/** A name server, or a server behind it, did not answer. The system resolver would wait for the same servers. */
const NO_ANSWER_CODES = new Set(['ETIMEOUT', 'ESERVFAIL', 'ECANCELLED']);

/**
 * Looks names up with the name servers, which needs no thread. The system resolver blocks one of a few threads while
 * name servers are silent: a few names would delay all others, and the process could not exit. The system resolver is
 * used only for names that the name servers do not know, such as those of the hosts file, of containers, and short
 * ones.
 */
export const makeLookup = (stop: AbortSignal, servers?: readonly string[]): Lookup => {
  const active = new Set<Resolver>();
  stop.addEventListener('abort', () => {
    for (const resolver of active) resolver.cancel();
  });

  const query = async (name: string): Promise<LookupAddress[] | 'unknown'> => {
    // A new resolver each time: the name servers of a machine change while it runs.
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    active.add(resolver);
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    active.delete(resolver);
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length > 0) return found;
    const hasNoAnswer = [four, six].some(
      ({ status, reason }: { status: string; reason?: { code?: string } }) =>
        status === 'rejected' && NO_ANSWER_CODES.has(reason?.code ?? ''),
    );
    return hasNoAnswer ? [] : 'unknown';
  };

  return (name, options, done) => {
    void query(name).then((found) => {
      if (found === 'unknown' && !stop.aborted) systemLookup(name, options, done);
      else done(null, found === 'unknown' ? [] : found);
    });
  };
};
