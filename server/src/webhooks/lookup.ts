import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';

type Done = (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void;

/** As `dns.lookup`, for all addresses of a name. */
export type Lookup = (name: string, options: { all: true }, done: Done) => void;

/** Two tries fit into an exchange. */
const ANSWER_WITHIN_MS = 2000;
const TRIES = 2;
/** Nothing came back, or nothing but that somebody further away is silent. The system would wait for the same. */
const SILENT = new Set(['ETIMEOUT', 'ESERVFAIL', 'ECANCELLED']);

/**
 * Asks the name servers, which takes no thread. The system's own way holds one of a few for as long as they are silent: some names
 * would keep all others waiting, and the process cannot end before they are done. It is asked for what the name servers do
 * not know, such as the names of the hosts file, of containers, and short ones.
 */
export const makeLookup = (stop: AbortSignal, servers?: readonly string[]): Lookup => {
  const asking = new Set<Resolver>();
  stop.addEventListener('abort', () => {
    for (const resolver of asking) resolver.cancel();
  });

  const ask = async (name: string): Promise<LookupAddress[] | 'unknown'> => {
    // Each time anew: the name servers of a machine change while it runs.
    const resolver = new Resolver({ timeout: ANSWER_WITHIN_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    asking.add(resolver);
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    asking.delete(resolver);
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length > 0) return found;
    const isSilent = [four, six].some(
      ({ status, reason }: { status: string; reason?: { code?: string } }) =>
        status === 'rejected' && SILENT.has(reason?.code ?? ''),
    );
    return isSilent ? [] : 'unknown';
  };

  return (name, options, done) => {
    void ask(name).then((found) => {
      if (found === 'unknown' && !stop.aborted) systemLookup(name, options, done);
      else done(null, found === 'unknown' ? [] : found);
    });
  };
};
