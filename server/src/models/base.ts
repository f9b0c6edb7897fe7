import { type ModelFile, writeTimestamp } from '@portcullis/contract';
import { fact, makeRandom, makeTrainingTable, type TrainingData, trainModel } from '@portcullis/engine';
import { makeItemReader } from '../backtest/items.ts';
import { makeWalk } from '../backtest/walk.ts';
import { openKnowledge } from '../knowledge/knowledge.ts';
import { randomWorlds, type SimulatedItem, type SimulateOptions, simulate } from '../simulate/simulate.ts';
import { MOST_TRAINING_ROWS } from './train.ts';

/**
 * The model that ships, from simulated histories alone. It is the same on every machine, to the byte: no clock, no setting, one seed.
 *
 * It has to do for accounts nobody here has seen. So it looks only at what means the same for all of them: not at how much, when and where an
 * account's customers usually pay, and not at how new a shop, a network or a provider is, for at first everything is new.
 */
const SEED = 20_261_101;
const WORLDS = 192;
const ITEMS_EACH = 8000;
/** What is taken for the share of fraud: in the worlds it is more, so that there is something to learn from. */
const FRAUD_SHARE = 0.009;
/** Faster than usual: it has two hundred trees for a hundred kinds of business. */
const LEARNING_RATE = 0.07;
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2024, 0, 1);

/**
 * Not every caller's requests mean what they say. Some send addresses that say nothing, their own proxy's or another one each time: in one
 * world in six each item gets the address of some other. In one in twelve the same goes for devices. In another all happens within two days
 * or less, as when a history is sent again: there, haste is no sign of anything. So the model does not lean on what may not hold.
 */
const TURNS = 12;
const ADDRESSES_MIXED = [1, 8];
const DEVICES_MIXED = [4];
const HURRIED = [6];
const REMEMBERED = 2000;
const SHORTEST_HURRY_MS = 2 * 60 * 60_000;
const LONGEST_HURRY_MS = 2 * DAY_MS;

const makeDistorter = (turn: number, { start, days }: SimulateOptions, seed: number) => {
  const random = makeRandom(seed);
  const member = ADDRESSES_MIXED.includes(turn)
    ? 'ip_address'
    : DEVICES_MIXED.includes(turn)
      ? 'device_token'
      : undefined;
  const hurry = SHORTEST_HURRY_MS * (LONGEST_HURRY_MS / SHORTEST_HURRY_MS) ** random();
  const haste = HURRIED.includes(turn) ? hurry / (days * DAY_MS) : 1;
  const pool: string[] = [];
  return (item: SimulatedItem): Record<string, unknown> => {
    const at = start + Math.floor((Date.parse(item.occurred_at) - start) * haste);
    const moved = { ...item, occurred_at: writeTimestamp(at) };
    const own = member === undefined ? undefined : item[member];
    if (member === undefined || own === undefined) return moved;
    const place = Math.floor(random() * REMEMBERED);
    const other = pool[place] ?? own;
    pool[place] = own;
    return { ...moved, [member]: other };
  };
};

/**
 * To an account that has just begun everybody is new, and nearly all of them are honest: a newcomer must not be a suspect for being one.
 * So the first actions of the honest count more.
 */
const FIRST_ACTIONS = 3;
const NEWCOMERS_COUNT = 2;
const USER_ACTIONS = fact('user.actions');

/** In every second world labels become known after a week; in the others, as for an account that is new, they never do. */
const delayOf = (world: number): number => (world % 2 === 0 ? 7 * DAY_MS : Number.POSITIVE_INFINITY);

const SHARED = '(?:ip|network|device|fingerprint|email|counterparty|asn|domain)';
const BLIND = [
  /^(?:hour|is_night|is_weekend|dollars|ip_radius_km)$/,
  /fraud_share/,
  // How long ago to the second: a person's pace here is a machine's there. The windows tell it more coarsely.
  /^user\.idle_ms$/,
  // Many callers never tell of logins; and where addresses say nothing, neither do new ones and the distance between them: rules weigh that.
  /^user\.logins\.|^user\.travel_|^ip\.transactions\.(?:24h|7d|30d)$/,
  // One address in ten is a server's: for an account whose callers come by way of one, that is no sign. A rule weighs it, within bounds.
  /^ip_(?:hosting|vpn)$/,
  // A handful of users on an address is a household: `crowd` counts those beyond.
  /^(?:ip|network)\.distinct_/,
  // Of what users share, how old it is and what is usually paid there; of a provider or a network, also how busy it is.
  new RegExp(
    `^${SHARED}\\.(?:age_ms|idle_ms|actions|payments|amount|amount_mean|amount_deviation|amount_max|burst)(?:\\.|$)`,
  ),
  /^(?:asn|domain|network)\.transactions\.|^asn\.(?:signups|distinct_user)\./,
  /^amount_over_counterparty|^counterparty\.amount_/,
  // Amounts differ by business; what is far from the user's own does not.
  /^user\.amount(?:_mean|_deviation|_max|_with_this)?(?:\.|$)/,
  /^(?:metadata\.|payment_method$|currency$)|_address\.country$/,
];
export const mayLookAt = (name: string): boolean => !BLIND.some((pattern) => pattern.test(name));

/** More of it never speaks for a customer. */
const RISING =
  /failed_logins|\.frauds|known_frauds|distinct_(?:user|fingerprint|device|email|country|asn|network|ip)\.|\.crowd\.|_transactions\.|\.transactions\.(?:10m|1h)|^ip_(?:tor|proxy)$|email_disposable|methods_added\.|\.signups\.|\.changes\./;
export const rises = (name: string): boolean => RISING.test(name);

/** One after another in time: the newest rows, which tell how well it does, are then of worlds it has not learned from. */
const inOrder = (worlds: readonly SimulateOptions[]): SimulateOptions[] => {
  let start = FIRST_DAY;
  return worlds.map((world) => {
    const placed = { ...world, start };
    start += (world.days + 30) * DAY_MS;
    return placed;
  });
};

/** Legitimate rows count as much more as makes fraud as rare as it is. */
const rebalance = (data: TrainingData): void => {
  let frauds = 0;
  let others = 0;
  for (let row = 0; row < data.count; row++) {
    if (data.labels[row] === 1) frauds += data.weights[row] as number;
    else others += data.weights[row] as number;
  }
  const factor = (frauds * (1 - FRAUD_SHARE)) / (FRAUD_SHARE * others);
  // Weights of about one on average: the trees' own regularisation is measured in rows.
  const scale = data.count / (frauds + others * factor);
  for (let row = 0; row < data.count; row++)
    data.weights[row] = (data.weights[row] as number) * scale * (data.labels[row] === 1 ? 1 : factor);
};

const worlds = (): SimulateOptions[] => inOrder(randomWorlds(SEED, WORLDS, ITEMS_EACH));
const lastDay = (): number => {
  const { start, days } = worlds().at(-1) as SimulateOptions;
  return start + days * DAY_MS;
};

export const baseTrainingData = (onWorld: (done: number, of: number) => void): TrainingData => {
  /** Without all it can know it would be another model. */
  const knowledge = openKnowledge(
    { ipDatabase: undefined, torExitList: undefined, proxyList: undefined },
    (message) => {
      throw new Error(message);
    },
  );
  const table = makeTrainingTable(MOST_TRAINING_ROWS);
  worlds().forEach((world, i) => {
    const read = makeItemReader({ warn: () => undefined, knowledge });
    const walk = makeWalk(delayOf(i));
    const distort = makeDistorter(i % TURNS, world, SEED + i);
    let line = 0;
    for (const simulated of simulate(world)) {
      const item = read({ line: ++line, members: distort(simulated) });
      const facts = walk.factsOf(item);
      const isNewcomer = item.label === 0 && (facts[USER_ACTIONS] as number) < FIRST_ACTIONS;
      if (item.label !== undefined) table.add(facts, item.subject, item.label, isNewcomer ? NEWCOMERS_COUNT : 1);
      walk.next(item);
    }
    onWorld(i + 1, WORLDS);
  });
  const data = table.between(FIRST_DAY, Number.POSITIVE_INFINITY);
  rebalance(data);
  return data;
};

export const trainBaseModel = (data: TrainingData, onProgress: (share: number) => void): ModelFile =>
  trainModel(data, {
    seed: SEED,
    source: `${WORLDS} simulated histories`,
    from: writeTimestamp(FIRST_DAY),
    until: writeTimestamp(lastDay()),
    mayLookAt,
    rises,
    learningRate: LEARNING_RATE,
    onProgress,
  });
