import type { ModelFile } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import {
  FACT_NAMES,
  type Facts,
  fact,
  makeRandom,
  makeTrainingTable,
  riskSign,
  type TrainingData,
  trainModel,
} from '@portcullis/engine';
import { openKnowledge } from '../knowledge/knowledge.ts';
import {
  type AttackName,
  randomWorlds,
  type SimulatedItem,
  type SimulateOptions,
  simulate,
} from '../simulate/simulate.ts';
import { makeWalk } from './history-walk.ts';
import { makeItemReader } from './item-reader.ts';

/**
 * Trains the shipped model only on simulated histories. It is the same on every machine, to the byte: it depends
 * on no clock and no setting, and has one seed.
 *
 * The model must work for any account, so it uses only features that mean the same for all of them. It does not use
 * the usual amounts, hours and places of an account.
 */
const SEED = 20_261_177;
const WORLDS = 384;
const ITEMS_EACH = 8000;
const MAX_ROWS = 700_000;
/** The assumed share of fraud. Training has more of it, so that rare attacks weigh enough to be learned. */
const FRAUD_SHARE = 0.009;
const TRAINING_SHARE = 0.05;
const oddsOf = (share: number): number => share / (1 - share);
/** More growth than the default, because these trees cover a hundred kinds of business. */
const GROWTH = { learningRate: 0.2, leaves: 48, maxDepth: 8, lambda: 3 };
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2024, 0, 1);

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
]);
const TAKEOVER_WEIGHT = 4;

const weightOf = ({ kind, attack }: SimulatedItem, label: 0 | 1, actions: number): number => {
  if (label === 0) return actions < FIRST_ACTIONS ? NEW_USER_WEIGHT : 1;
  return kind === 'transaction' && TAKEOVERS.has(attack) ? TAKEOVER_WEIGHT : 1;
};

/** Labels become known after a week in every second world, and never in the others, as for a new account. */
const delayOf = (world: number): number => (world % 2 === 0 ? 7 * DAY_MS : Number.POSITIVE_INFINITY);

const SHARED = '(?:ip|network|device|fingerprint|email|counterparty|asn|domain|shipping)';
/** Features that the shipped model must not use, because their meaning differs between accounts. */
const EXCLUDED = [
  /^(?:hour|is_night|is_weekend|dollars|ip_radius_km)$/,
  /fraud_share/,
  // A label follows the actor: what a victim always had says nothing about the next item. And one thief says little about
  // others who share a till, a network or a provider: the signals `fraud_on_…` compare the frauds with the traffic.
  /^(?!counterparty)\w+\.(?:frauds\.|known_frauds$|fraud_age_ms$)|^(?!user|counterparty)\w+\.actor_fraud/,
  // Being seen earns nothing, and must not make a thief's device look familiar. `trust` and `known_ms` say what time earns.
  /^user\.this_\w+_age_ms$|^user\.age_ms$|^user\.idle_ms$|^user\.logins\./,
  new RegExp(`^${SHARED}\\.(?:age_ms|idle_ms|actions)$`),
  // What is usual at an address, in a network or for a provider says more about the account than about the item.
  /^(?:ip|network|asn|domain)\.(?:payments|amount|amount_mean|amount_deviation|amount_max|burst)(?:\.|$)/,
  /^(?:asn|domain|network)\.(?:transactions|known_ms)|^ip\.transactions\.(?:24h|7d|30d)$|^asn\.(?:signups|distinct_user)\./,
  // The user's own counts say the same, and a thief who changes the e-mail address must not look quieter for it.
  /^email\.(?:amount|burst|transactions|payments|small|large|failed_logins|signups|changes|methods_added)/,
  // Short windows end at once: a day after a thief's login, the score would drop. Grades and longer windows fade.
  /^user\.changes\.|^user\.distinct_\w+\.(?:10m|1h|24h)$|^device\.distinct_user\.(?:10m|1h|24h)$/,
  // Hosting and VPN addresses are normal for some accounts. Signals cover them.
  /^ip_(?:hosting|vpn)$/,
  // Attacks take time, so the first hours of a simulated business have little fraud. `account.known_ms` begins after a day.
  /^account\.age_ms$/,
  // A few users on an address are a household. `crowd` counts only the users beyond a household.
  /^(?:ip|network)\.distinct_/,
  // A thief's login moves the last known place, and would lower the score of the next item.
  /^user\.travel_|^user\.distinct_place\.7d$/,
  // The payments of a burst make nobody familiar, and their amounts make no amount usual. `payments_before_24h` and
  // `amount_mean_before_24h` leave them out.
  /^(?!account\.)\w+\.(?:actions|payments)$/,
  /^(?:user|device|fingerprint|shipping)\.transactions\.(?:7d|30d)$/,
  /^amount_over_\w+\.amount_mean\.(?:24h|7d|30d)$/,
  // Amounts differ between businesses. Their distance from the usual amount of a user does not.
  /^user\.amount(?:_mean|_deviation|_max|_with_this)?(?:\.|$)/,
  /^(?:metadata\.|payment_method$|currency$)|_address\.country$/,
];
/** One more payment within a day never lowers the score. */
const signOf = (name: string): -1 | 0 | 1 =>
  /^(?:user|device|fingerprint|shipping)\.transactions\.24h$/.test(name) ? 1 : riskSign(name);
export const mayUseFeature = (name: string): boolean => !EXCLUDED.some((pattern) => pattern.test(name));

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

const worlds = (): SimulateOptions[] => placeInTime(randomWorlds(SEED, WORLDS, ITEMS_EACH));
const lastDay = (): number => {
  const { start, days } = worlds().at(-1) as SimulateOptions;
  return start + days * DAY_MS;
};

export const baseTrainingData = (onWorld: (done: number, of: number) => void): TrainingData => {
  /** A missing lookup table is an error, because the model would differ. */
  const knowledge = openKnowledge(
    { ipDatabase: undefined, torExitList: undefined, proxyList: undefined },
    (message) => {
      throw new Error(message);
    },
  );
  const table = makeTrainingTable(MAX_ROWS, mayUseFeature);
  worlds().forEach((world, i) => {
    const read = makeItemReader({ warn: () => undefined, knowledge });
    const walk = makeWalk(delayOf(i));
    const distort = makeDistorter(i % CYCLE, world, SEED + i);
    let line = 0;
    for (const simulated of simulate(world)) {
      const item = read({ line: ++line, fields: distort(simulated) });
      const facts = forgetOthers(walk.factsOf(item));
      const weight = weightOf(simulated, item.label ?? 0, facts[USER_ACTIONS] as number);
      if (item.label !== undefined) table.add(facts, item.subject, item.label, weight);
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
    mayUseFeature,
    riskSign: signOf,
    growth: GROWTH,
    legitimateWeight: oddsOf(TRAINING_SHARE) / oddsOf(FRAUD_SHARE),
    onProgress,
  });
