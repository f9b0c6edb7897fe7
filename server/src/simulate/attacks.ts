import type { EventType } from '@portcullis/contract';
import type { Scene } from './acts.ts';
import { ACCOUNT_ATTACKS } from './attacks-account.ts';
import { PAYMENT_ATTACKS } from './attacks-payment.ts';
import { type Attack, makeCrime } from './crime.ts';
import type { Person } from './people.ts';

export const ATTACKS = { ...PAYMENT_ATTACKS, ...ACCOUNT_ATTACKS };
export type AttackName = keyof typeof ATTACKS;
export const ATTACK_NAMES = Object.keys(ATTACKS) as AttackName[];

/** What a world's caller must tell of, for these attacks to be seen at all. */
export const neededFor = (names: readonly AttackName[]): EventType[] =>
  names.flatMap((name) => [...ATTACKS[name].needs]);

const MOST_OF_ALL = 0.12;
const AT_LEAST = 12;

/** Commits crimes until they are the share of all items that was asked for, as many items of one attack as this world's thieves like. */
export const makeUnderworld = (scene: Scene, names: readonly AttackName[], share: number) => {
  const { world, draw, journal } = scene;
  const possible = names.filter((name) =>
    (ATTACKS[name].needs as readonly EventType[]).every((type) => world.events.has(type)),
  );
  const tastes = possible.map(() => draw.logNormal(1, 0.8));
  const sum = tastes.reduce((total, taste) => total + taste, 0);
  const restUntil = new Map<AttackName, number>();
  const deficitsOf = (day: number, due: number): number[] =>
    possible.map((name, i) =>
      (restUntil.get(name) ?? 0) > day
        ? 0
        : Math.max(0, ((tastes[i] as number) / sum) * (due + 1) - (journal.fraudsOf.get(name) ?? 0)),
    );
  return (people: readonly Person[], day: number): void => {
    const due = (): number => ((journal.count.all - journal.count.fraud) * share) / (1 - share);
    const expected = (due() / (day + 1)) * world.days;
    const limit = Math.max(AT_LEAST, Math.round(expected * MOST_OF_ALL));
    while (people.length > 0 && journal.count.fraud < due()) {
      const deficits = deficitsOf(day, due());
      if (!deficits.some((deficit) => deficit > 0)) return;
      const name = draw.weighted(possible, deficits);
      const before = journal.count.fraud;
      (ATTACKS[name].run as Attack)(makeCrime(scene, name, people, day, limit));
      // Some attacks show only in the days to come: without a rest they would be begun again and again until then.
      if (journal.count.fraud === before) restUntil.set(name, day + draw.whole(1, 8));
    }
  };
};
