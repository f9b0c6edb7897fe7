import type { EventRequest, TransactionRequest } from '@portcullis/contract';
import { ACCOUNT_ATTACKS } from './unseen-attacks-accounts.ts';
import { PAYMENT_ATTACKS } from './unseen-attacks-payments.ts';
import { hat, lives, openingDay, PEOPLE, rush } from './unseen-ordinary.ts';
import {
  type Attack,
  type Background,
  DAY_MS,
  HOUR_MS,
  type Members,
  MINUTE_MS,
  makeWorld,
  type Step,
  type World,
} from './unseen-world.ts';

/**
 * Traffic as someone outside makes it to try the service. Whoever wrote it knew the interface and the signals, but not what the shipped
 * model learnt from, so that it can tell whether the model knows fraud or only its own teacher.
 */
export const ATTACKS: readonly Attack[] = [...PAYMENT_ATTACKS, ...ACCOUNT_ATTACKS];

export const STYLES = ['plain', 'sparse', 'rich', 'random', 'careless', 'cold', 'rush'] as const;
export type Style = (typeof STYLES)[number];

interface Common {
  /** In ms. */
  readonly occurred_at: number;
  readonly label: 'fraud' | 'legitimate';
  /** The attack it is part of. */
  readonly attack: string | undefined;
  readonly oddity: string | undefined;
  /** An attack that has begun in earnest, or honest traffic of which some was seen before. */
  readonly isCounted: boolean;
}
export type Item =
  | (Common & { readonly kind: 'transaction'; readonly request: TransactionRequest })
  | (Common & { readonly kind: 'event'; readonly request: EventRequest });

const START_AT = Date.UTC(2026, 2, 2);
const ATTACK_AT = 7 * DAY_MS + 11 * HOUR_MS;
const RUSH_MS = 10 * MINUTE_MS;
/** Until then the service knows nobody, which is what `cold` is about. */
const WARM_MS = 2 * DAY_MS;
const NEEDED = ['user_id', 'amount', 'currency', 'type'];

const bare = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => NEEDED.includes(name)));

/** All that a caller can tell: what the step tells itself comes first. */
const dressed = (world: World) => {
  const known = new Map(world.people.map((person) => [person.id, person]));
  return ({ kind, members }: Step): Members => {
    const id = members.user_id as string;
    // Whoever came for the attack alone has the name and address of somebody: that of a stolen card, perhaps.
    const person = known.get(id) ?? world.makePerson(id);
    known.set(id, person);
    const { email } = person;
    const metadata = { channel: world.oneOf(['web', 'app']), order_id: `o-${world.hex(8)}` };
    if (kind === 'event') return { email, metadata: { channel: metadata.channel }, ...members };
    const home = world.addressOf(person);
    const gift = world.chance(0.05) ? world.addressOf(world.oneOf(world.people)) : home;
    return { email, billing_address: home, shipping_address: gift, metadata, ...members };
  };
};

const itemOf = (step: Step, startAt: number, attack: string | undefined, isCounted: boolean): Item => ({
  kind: step.kind as 'transaction',
  request: step.members as TransactionRequest,
  occurred_at: Math.round(startAt + step.at),
  label: step.fraud ? 'fraud' : 'legitimate',
  attack: step.fraud ? attack : undefined,
  oddity: step.oddity,
  isCounted,
});
const inOrder = (items: Item[]): Item[] => items.sort((a, b) => a.occurred_at - b.occurred_at);

const stepsOf = (style: Style | Background, world: World): Step[] => {
  switch (style) {
    case 'random':
      return hat(world, true);
    case 'careless':
      return hat(world, false);
    case 'cold':
      return openingDay(world);
    case 'rush':
      return rush(world);
    case 'empty':
      return [];
    case 'sparse':
      return lives(world)
        .filter(({ kind }) => kind === 'transaction')
        .map((step) => ({ ...step, members: bare(step.members) }));
    case 'rich': {
      const steps = lives(world);
      const dress = dressed(world);
      return steps.map((step) => ({ ...step, members: dress(step) }));
    }
    case 'plain':
      return lives(world);
  }
};

/** Honest traffic alone. */
export const ordinary = (style: Style, seed: number): Item[] => {
  const world = makeWorld(seed, PEOPLE);
  const isCold = style === 'cold' || style === 'rush';
  return inOrder(stepsOf(style, world).map((step) => itemOf(step, START_AT, undefined, isCold || step.at >= WARM_MS)));
};

const isUnderWay = ({ afterItems, afterShare = 0 }: Attack, nth: number, of: number): boolean =>
  nth >= (afterItems ?? Math.floor(of * afterShare));

/** An attack amid honest traffic, or with nothing before it. */
export const attacked = (attack: Attack, background: Background, seed: number): Item[] => {
  const world = makeWorld(seed, PEOPLE);
  const honest = stepsOf(
    attack.isBare && background !== 'empty' && background !== 'rush' ? 'sparse' : background,
    world,
  );
  let steps = attack.make(world).sort((a, b) => a.at - b.at);
  let startAt = START_AT + (background === 'rush' ? RUSH_MS : ATTACK_AT);
  if (background === 'rush') {
    // A client that cannot set the clock sends one after the other.
    let at = 0;
    steps = steps.map((step) => {
      at += world.between(50, 400);
      return { ...step, at };
    });
    startAt += MINUTE_MS;
  }
  if (background === 'rich' && !attack.isBare) {
    const dress = dressed(world);
    steps = steps.map((step) => ({ ...step, members: dress(step) }));
  }
  const sizes = new Map<number, number>();
  for (const { fraud, campaign = 0 } of steps) if (fraud) sizes.set(campaign, (sizes.get(campaign) ?? 0) + 1);
  const seen = new Map<number, number>();
  const items = honest.map((step) => itemOf(step, START_AT, attack.name, START_AT + step.at >= startAt));
  for (const step of steps) {
    const { fraud, campaign = 0 } = step;
    const nth = seen.get(campaign) ?? 0;
    if (fraud) seen.set(campaign, nth + 1);
    items.push(itemOf(step, startAt, attack.name, fraud && isUnderWay(attack, nth, sizes.get(campaign) ?? 0)));
  }
  return inOrder(items);
};
