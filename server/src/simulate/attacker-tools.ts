import type { Simulation } from './actions.ts';
import {
  type Access,
  addressOf,
  COUNTRIES,
  HOSTING,
  homeAccess,
  neighbourAddress,
  pooledAccess,
  poolIn,
} from './networks.ts';
import type { Session } from './output.ts';
import type { Person } from './people.ts';
import type { Draw } from './random.ts';

/** Time between actions: from a program without pauses to a person with hours between actions, evenly or in bursts. */
export const makePace = (draw: Draw, fastestMs: number, slowestMs: number) => {
  const meanMs = draw.logBetween(fastestMs, slowestMs);
  const style = draw.pick(['even', 'random', 'bursts'] as const);
  return (): number => {
    if (style === 'even') return meanMs * draw.between(0.85, 1.15);
    if (style === 'random') return 200 + draw.exponential(meanMs);
    return draw.chance(0.8) ? 300 + draw.exponential(meanMs * 0.15) : draw.exponential(meanMs * 4.4);
  };
};

/** Share of attackers in training worlds who rent whole networks, in addition to the styles below. */
const BLOCK_SHARE = 0.1;
/** Addresses of one or two rented networks of 256, at a carrier or a hosting company. */
const rentBlock = (draw: Draw, country: (typeof COUNTRIES)[number]): Access => {
  const prefix = draw.pick(draw.chance(0.5) ? country.home : draw.pick(HOSTING));
  return pooledAccess(country.code, poolIn(draw, prefix, draw.whole(20, 200), draw.whole(1, 2)));
};

const NETWORKS = ['home', 'hosting', 'hosting-many', 'proxies', 'near', 'city', 'mobile', 'vpn'] as const;
const NETWORK_WEIGHTS = [3, 2, 2, 3, 3, 2, 2, 2];

/** Draws the networks of one attacker. The returned function gives an address to use against a victim. */
const makeNetworks = ({ draw, town, world }: Simulation): ((victim: Person | undefined) => string) => {
  const style = draw.weighted(NETWORKS, NETWORK_WEIGHTS);
  const from = draw.chance(0.5) ? draw.pick(world.countries) : draw.pick(COUNTRIES);
  if (world.family === 'training' && draw.chance(BLOCK_SHARE)) {
    const block = rentBlock(draw, from);
    return () => addressOf(draw, block);
  }
  const lineIn = (country: typeof from): string => homeAccess(draw, country, world.v6Share, 0).address;
  if (style === 'proxies') return () => lineIn(draw.pick(COUNTRIES));
  if (style === 'near') return (victim) => lineIn(victim?.country ?? from);
  if (style === 'city')
    return (victim) => (victim === undefined ? lineIn(from) : neighbourAddress(draw, victim.home)) ?? lineIn(from);
  if (style === 'vpn') return () => addressOf(draw, town.vpn);
  const poolOf = (): Access => {
    if (style === 'mobile') return pooledAccess(from.code, town.carrierOf(from));
    if (style === 'home') return pooledAccess(from.code, poolIn(draw, draw.pick(from.home), draw.whole(1, 3), 1));
    const prefixes = draw.pick(HOSTING);
    if (style === 'hosting-many')
      return pooledAccess(
        from.code,
        prefixes.flatMap((prefix) => poolIn(draw, prefix, 60, draw.whole(1, 20))),
      );
    const pool = prefixes.flatMap((prefix) => poolIn(draw, prefix, draw.whole(1, 2), 1));
    return pooledAccess(from.code, pool.slice(0, draw.whole(1, 4)));
  };
  const access = poolOf();
  return () => addressOf(draw, access);
};

/** Devices and addresses of one attacker. Good tools use new ones for every account; poor tools share them. */
export const makeTools = (simulation: Simulation) => {
  const { draw, world, town } = simulation;
  let addressFor = makeNetworks(simulation);
  const style = draw.weighted(['one', 'few', 'each', 'fresh', 'copied'] as const, [4, 2, 4, 1.5, 0.5]);
  const newDevices = (): string[] =>
    Array.from({ length: style === 'one' ? 1 : draw.whole(2, 10) }, () => world.newDevice());
  let few = newDevices();
  const deviceOf = (victim: Person | undefined): string => {
    if (style === 'one' || style === 'few') return draw.pick(few);
    if (style === 'copied' && victim !== undefined) return victim.devices[0] as string;
    return world.newDevice();
  };
  /** Share of actions that switch to another address within a session. */
  const hopShare = draw.chance(0.3) ? draw.between(0.05, 1) : 0;
  // Some attackers change device or network now and then: after a block, or when labels become known.
  const adaptShare = draw.chance(0.3) ? draw.between(0.05, 0.5) : 0;
  return {
    /** A new session for one account. Where customers pay on devices in shops, some attackers do so too. */
    startSession: (victim?: Person): Session => {
      if (town.kiosks.length > 0 && draw.chance(world.kioskShare * 0.4)) return draw.pick(town.kiosks);
      if (draw.chance(adaptShare)) {
        if (draw.chance(0.6)) few = newDevices();
        else addressFor = makeNetworks(simulation);
      }
      return { device: deviceOf(victim), ip: addressFor(victim) };
    },
    /** The same session at the next action. */
    continueSession: (session: Session, victim?: Person): Session => ({
      ...session,
      device: style === 'fresh' ? world.newDevice() : session.device,
      ip: hopShare > 0 && draw.chance(hopShare) ? addressFor(victim) : session.ip,
    }),
  };
};
