import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressRules, localAddresses, refuseAddress } from './address.ts';
import type { Lookup } from './lookup.ts';

/** A name that must not be called. Its message is for people. */
export class NameRefused extends Error {}

/**
 * Resolves names for `net.connect`, which connects to nothing but what it is given here. So an address that was checked
 * is the address that is called, and a name that answers differently a moment later gains nothing.
 */
export const makeResolver = (rules: AddressRules, lookup: Lookup): LookupFunction => {
  const underWay = new Map<string, Parameters<Lookup>[2][]>();

  const judge = (name: string, found: LookupAddress[]): Error | null => {
    if (found.length === 0) return new NameRefused(`The name ${name} could not be resolved.`);
    // One bad address refuses all: a name that leads to both sides of the border is an attack or a mistake. The address
    // is not told, because the owner of an endpoint need not learn what the names of this network stand for.
    if (found.some(({ address }) => refuseAddress(address, rules) !== undefined)) {
      return new NameRefused(
        `The name ${name} resolves to an address that is not public; the setting WEBHOOK_ALLOWED_NETWORKS opens further networks.`,
      );
    }
    return null;
  };

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
    // Connections that are made at the same time share one question, so that a name whose servers do not answer is not asked for in
    // vain a hundred times at once.
    const waiting = underWay.get(name);
    if (waiting !== undefined) {
      waiting.push(done);
      return;
    }
    const asking = [done];
    underWay.set(name, asking);
    find(name, { all: true }, (error, found) => {
      underWay.delete(name);
      const refusal = error ?? judge(name, found);
      for (const answer of asking) answer(refusal, refusal === null ? found : []);
    });
  };
};
