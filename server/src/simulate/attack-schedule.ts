import type { Simulation } from './actions.ts';
import { type Kit, makeAttacker, makeKit } from './attacker.ts';
import { ATTACKS, type AttackName, attacksOf } from './attacks.ts';
import type { Person } from './people.ts';
import type { World } from './world.ts';

const MIN_PAYEES = 20;
/** The attacks of a world, unless others are requested by name. */
export const attacksIn = (world: World): AttackName[] => {
  const hasPayees = world.sends.counterparty && world.counterparties >= MIN_PAYEES;
  return attacksOf(world.family).filter((name) => hasPayees || ATTACKS[name].payees === undefined);
};

/** Largest share of the expected fraud that a single attack may contribute. */
const MAX_SHARE_OF_ONE_ATTACK = 0.12;
const MIN_ITEMS_OF_ONE_ATTACK = 12;

/** Number of attackers who may return. */
const REMEMBERED = 8;

/** Runs attacks each day until fraud has the requested share of all items. Every world has its own mix of attacks. */
export const makeAttackScheduler = (
  simulation: Simulation,
  names: readonly AttackName[],
  share: number,
  mix: Partial<Record<AttackName, number>>,
) => {
  const { world, draw, output } = simulation;
  const possible = names.filter((name) => ATTACKS[name].needs.every((type) => world.events.has(type)));
  const weights = possible.map((name) => (ATTACKS[name].weight ?? 1) * (mix[name] ?? 1) * draw.logNormal(1, 0.8));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const kits: Kit[] = [];
  /** The kit of the next attacker: a new one, or one who comes back with what they have. */
  const nextKit = (): Kit => {
    if (kits.length > 0 && draw.chance(world.returnShare)) return draw.pick(kits);
    const kit = makeKit(simulation);
    if (kits.push(kit) > REMEMBERED) kits.shift();
    return kit;
  };
  const pausedUntil = new Map<AttackName, number>();
  const deficitsOf = (day: number, due: number): number[] =>
    possible.map((name, i) =>
      (pausedUntil.get(name) ?? 0) > day
        ? 0
        : Math.max(0, ((weights[i] as number) / sum) * (due + 1) - (output.fraudCounts.get(name) ?? 0)),
    );
  return (people: readonly Person[], day: number): void => {
    const due = (): number => ((output.count.all - output.count.fraud) * share) / (1 - share);
    const expected = (due() / (day + 1)) * world.days;
    const limit = Math.max(MIN_ITEMS_OF_ONE_ATTACK, Math.round(expected * MAX_SHARE_OF_ONE_ATTACK));
    while (people.length > 0 && output.count.fraud < due()) {
      const deficits = deficitsOf(day, due());
      if (!deficits.some((deficit) => deficit > 0)) return;
      const name = draw.weighted(possible, deficits);
      const before = output.count.fraud;
      const { run, reason } = ATTACKS[name];
      run(makeAttacker(simulation, { attack: name, reason }, people, day, limit, nextKit()));
      // Some attacks write items only on later days. Without a pause they would start repeatedly until then.
      if (output.count.fraud === before) pausedUntil.set(name, day + draw.whole(1, 8));
    }
  };
};
