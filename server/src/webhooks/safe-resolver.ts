import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressRules, localAddresses, refuseAddress } from './address-policy.ts';
import type { Lookup } from './dns.ts';

/** A host name that must not be called. Its message is for people. */
export class RefusedNameError extends Error {}

/** Why the addresses of a name must not be called; null if they may be. */
const refuseFound = (rules: AddressRules, name: string, found: LookupAddress[]): Error | null => {
  if (found.length === 0) return new RefusedNameError(`The host name ${name} could not be resolved.`);
  // One forbidden address refuses the name: a name with public and private addresses is an attack or a mistake. The
  // message omits the address, so that the owner of an endpoint cannot learn addresses of this network.
  if (found.some(({ address }) => refuseAddress(address, rules) !== undefined)) {
    return new RefusedNameError(
      `The host name ${name} resolves to an address that is not public. To allow it, add its network to the setting WEBHOOK_ALLOWED_NETWORKS.`,
    );
  }
  return null;
};

/**
 * Resolves host names for `net.connect`, which connects only to the addresses returned here. The checked address is
 * therefore the one that is called: a name that resolves differently a moment later (DNS rebinding) gains nothing.
 */
export const makeResolver = (rules: AddressRules, lookup: Lookup): LookupFunction => {
  const inFlight = new Map<string, Parameters<Lookup>[2][]>();

  const find: Lookup = (name, options, done) => {
    const local = localAddresses(name, rules);
    if (local === undefined) lookup(name, options, done);
    else {
      process.nextTick(
        done,
        null,
        local.map((address) => ({ address, family: isIP(address) })),
      );
    }
  };

  return (name, _options, done) => {
    // Concurrent connections share one lookup, so that a silent name server is not queried a hundred times at once.
    const pending = inFlight.get(name);
    if (pending !== undefined) {
      pending.push(done);
      return;
    }
    const callbacks = [done];
    inFlight.set(name, callbacks);
    find(name, { all: true }, (error, found) => {
      inFlight.delete(name);
      const refusal = error ?? refuseFound(rules, name, found);
      for (const callback of callbacks) callback(refusal, refusal === null ? found : []);
    });
  };
};
