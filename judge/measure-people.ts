import { CROWDS } from './people/crowds.ts';
import { HOUSEHOLD } from './people/household.ts';
import { MONEY } from './people/money.ts';
import { makeScene, SCENE_DAYS, type Situation } from './people/scene.ts';
import { TRAVEL } from './people/travel.ts';
import { mergeItems, type ReadOptions, readSteps, replay } from './replay.ts';
import type { Serve } from './served.ts';
import { makeBackground } from './world/background.ts';
import type { Business } from './world/businesses.ts';
import { makePlace } from './world/customers.ts';
import { DAY_MS } from './world/steps.ts';

export const SITUATIONS: readonly Situation[] = [...TRAVEL, ...HOUSEHOLD, ...CROWDS, ...MONEY];

export interface PeopleCount {
  readonly situation: string;
  readonly world: string;
  items: number;
  flagged: number;
  blocked: number;
  payments: number;
  flaggedPayments: number;
  blockedPayments: number;
  /** Signals of flagged items, with the number of items. */
  readonly signals: Record<string, number>;
}

/** Lets each situation happen in a business of its own with the same other customers. */
export const measurePeople = (
  business: Business,
  seed: number,
  situations: readonly Situation[],
  serve: Serve,
  options: ReadOptions,
): PeopleCount[] => {
  const place = makePlace(business, seed);
  const background = readSteps(makeBackground(place, SCENE_DAYS).steps, options);
  return situations
    .filter(({ businesses }) => businesses.includes(business.name))
    .map((situation) => {
      const scene = makeScene(business, 1000 * seed + SITUATIONS.indexOf(situation), place.payees);
      situation.happen(scene);
      const count: PeopleCount = {
        situation: situation.name,
        world: `${business.name}-${seed}`,
        items: 0,
        flagged: 0,
        blocked: 0,
        payments: 0,
        flaggedPayments: 0,
        blockedPayments: 0,
        signals: {},
      };
      replay(serve, mergeItems(background, readSteps(scene.steps(), options)), 7 * DAY_MS, (_, item, facts) => {
        const { decision, signals } = serve(item, facts);
        const isPayment = item.subject.type === 'transaction' ? 1 : 0;
        count.items++;
        count.payments += isPayment;
        if (decision === 'allow') return;
        count.flagged++;
        count.flaggedPayments += isPayment;
        for (const name of signals) count.signals[name] = (count.signals[name] ?? 0) + 1;
        if (decision !== 'block') return;
        count.blocked++;
        count.blockedPayments += isPayment;
      });
      return count;
    });
};
