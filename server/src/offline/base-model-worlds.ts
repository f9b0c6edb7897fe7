import { writeTimestamp } from '@portcullis/contract/values';
import { FACT_NAMES, type Facts, fact, makeRandom, makeTrainingTable, type TrainingData } from '@portcullis/engine';
import { openKnowledge } from '../knowledge/knowledge.ts';
import {
  type AttackName,
  randomWorlds,
  type SimulatedItem,
  type SimulateOptions,
  simulate,
} from '../simulate/simulate.ts';
import { mayUseFeature } from './base-model-features.ts';
import { makeWalk } from './history-walk.ts';
import { makeItemReader } from './item-reader.ts';

/** The simulated histories that a forest of the shipped model learns from. */
export interface WorldsRecipe {
  readonly seed: number;
  readonly worlds: number;
  /** Which worlds have composed attacks beside those of their family: none, every second one, or all. */
  readonly composed: 'none' | 'half' | 'all';
}

const ITEMS_EACH = 8000;
const MAX_ROWS = 700_000;
/** The share of fraud in training rows. Rare attacks must weigh enough to be learned. */
export const TRAINING_SHARE = 0.05;
export const oddsOf = (share: number): number => share / (1 - share);
const DAY_MS = 86_400_000;
export const FIRST_DAY = Date.UTC(2024, 0, 1);

/**
 * Worlds whose data are distorted, so that the model does not depend on data that some callers send wrongly. Of
 * every twelve worlds, two have mixed IP addresses, as behind a proxy, one has mixed devices, and one is compressed
 * into two hours to two days, as when a history is sent again.
 */
const CYCLE = 12;
const MIXED_ADDRESSES = [1, 8];
const MIXED_DEVICES = [4];
const COMPRESSED = [6];
/** Number of earlier values among which a mixed value is drawn. */
const POOL = 2000;
const SHORTEST_MS = 2 * 60 * 60_000;
const LONGEST_MS = 2 * DAY_MS;

/** Makes a function that distorts the items of a world, by its position in the cycle. */
const makeDistorter = (position: number, { start, days }: SimulateOptions, seed: number) => {
  const random = makeRandom(seed);
  const field = MIXED_ADDRESSES.includes(position)
    ? 'ip_address'
    : MIXED_DEVICES.includes(position)
      ? 'device_token'
      : undefined;
  const length = SHORTEST_MS * (LONGEST_MS / SHORTEST_MS) ** random();
  const pace = COMPRESSED.includes(position) ? length / (days * DAY_MS) : 1;
  const pool: string[] = [];
  return (item: SimulatedItem): Record<string, unknown> => {
    const at = start + Math.floor((Date.parse(item.occurred_at) - start) * pace);
    const moved = { ...item, occurred_at: writeTimestamp(at) };
    const own = field === undefined ? undefined : item[field];
    if (field === undefined || own === undefined) return moved;
    const place = Math.floor(random() * POOL);
    const other = pool[place] ?? own;
    pool[place] = own;
    return { ...moved, [field]: other };
  };
};

/**
 * The first actions of legitimate users count more. To a new account every user is new and nearly all are
 * legitimate, so being new must not look like fraud.
 */
const FIRST_ACTIONS = 3;
const NEW_USER_WEIGHT = 2;
const USER_ACTIONS = fact('user.actions');

/**
 * Payments of thieves in taken-over accounts count more. They are few beside attacks that try hundreds of cards or
 * passwords, and cost the customer most.
 */
const TAKEOVERS: ReadonlySet<string | undefined> = new Set<AttackName>([
  'account_takeover',
  'serial_takeover',
  'dormant_takeover',
  'brute_force',
  'credential_stuffing',
  'sim_swap',
  'composed_takeover',
]);
const TAKEOVER_WEIGHT = 4;

const weightOf = ({ kind, attack }: SimulatedItem, label: 0 | 1, actions: number): number => {
  if (label === 0) return actions < FIRST_ACTIONS ? NEW_USER_WEIGHT : 1;
  return kind === 'transaction' && TAKEOVERS.has(attack) ? TAKEOVER_WEIGHT : 1;
};

/** Labels become known after a week in every second world, and never in the others, as for a new account. */
const delayOf = (world: number): number => (world % 2 === 0 ? 7 * DAY_MS : Number.POSITIVE_INFINITY);

const OTHERS = FACT_NAMES.flatMap((name, position) => (/^user\.other_\w+_days$/.test(name) ? [position] : []));
/**
 * Makes unknown what else a user had more than a month ago. In training worlds owners come back far more often than thieves
 * choose such accounts: a model that knew would trust every new device more, and held fewer thieves after any wait.
 */
const forgetOthers = (facts: Facts): Facts => {
  for (const position of OTHERS) facts[position] = Number.NaN;
  return facts;
};

/**
 * Places worlds one after another in time, so that the held-out newest rows are of worlds that were not trained on.
 */
const placeInTime = (worlds: readonly SimulateOptions[]): SimulateOptions[] => {
  let start = FIRST_DAY;
  return worlds.map((world) => {
    const placed = { ...world, start };
    start += (world.days + 30) * DAY_MS;
    return placed;
  });
};

/** Weights legitimate rows so that the share of fraud is TRAINING_SHARE. */
const rebalance = (data: TrainingData): void => {
  let frauds = 0;
  let others = 0;
  for (let row = 0; row < data.count; row++) {
    if (data.labels[row] === 1) frauds += data.weights[row] as number;
    else others += data.weights[row] as number;
  }
  const factor = frauds / (oddsOf(TRAINING_SHARE) * others);
  // The mean weight is 1, because the regularization of trees is measured in rows.
  const scale = data.count / (frauds + others * factor);
  for (let row = 0; row < data.count; row++)
    data.weights[row] = (data.weights[row] as number) * scale * (data.labels[row] === 1 ? 1 : factor);
};

const isComposed = ({ composed }: WorldsRecipe, world: number): boolean =>
  composed === 'all' || (composed === 'half' && world % 2 === 0);

const worldsOf = (recipe: WorldsRecipe): SimulateOptions[] =>
  placeInTime(
    randomWorlds(recipe.seed, recipe.worlds, ITEMS_EACH).map((world, i) => ({
      ...world,
      composed: isComposed(recipe, i),
    })),
  );

/** The end of the last world. */
export const lastDayOf = (recipe: WorldsRecipe): number => {
  const { start, days } = worldsOf(recipe).at(-1) as SimulateOptions;
  return start + days * DAY_MS;
};

/**
 * Simulates the worlds of a recipe. The rows have the features that differ between them, and the `wanted` ones. A missing lookup
 * table is an error, because the model would differ.
 */
export const trainingDataOf = (
  recipe: WorldsRecipe,
  onProgress: (share: number) => void,
  wanted: readonly string[] = [],
): TrainingData => {
  const knowledge = openKnowledge(
    { ipDatabase: undefined, torExitList: undefined, proxyList: undefined },
    (message) => {
      throw new Error(message);
    },
  );
  const table = makeTrainingTable(MAX_ROWS, mayUseFeature);
  worldsOf(recipe).forEach((world, i) => {
    const read = makeItemReader({ warn: () => undefined, knowledge });
    const walk = makeWalk(delayOf(i));
    const distort = makeDistorter(i % CYCLE, world, recipe.seed + i);
    let line = 0;
    for (const simulated of simulate(world)) {
      const item = read({ line: ++line, fields: distort(simulated) });
      const facts = forgetOthers(walk.factsOf(item));
      const weight = weightOf(simulated, item.label ?? 0, facts[USER_ACTIONS] as number);
      if (item.label !== undefined) table.add(facts, item.subject, item.label, weight);
      walk.next(item);
    }
    onProgress((i + 1) / recipe.worlds);
  });
  const data = table.between(FIRST_DAY, Number.POSITIVE_INFINITY, wanted);
  rebalance(data);
  return data;
};
