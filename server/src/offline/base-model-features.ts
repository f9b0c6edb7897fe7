import { riskSign } from '@portcullis/engine';

/** Which features the shipped model may use, and which of them can only raise its score. */
const SHARED = '(?:ip|network|device|fingerprint|email|counterparty|asn|domain|shipping)';
/** Features whose meaning differs between accounts, or that an attacker raises at will. */
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
export const signOf = (name: string): -1 | 0 | 1 =>
  /^(?:user|device|fingerprint|shipping)\.transactions\.24h$/.test(name) ? 1 : riskSign(name);
export const mayUseFeature = (name: string): boolean => !EXCLUDED.some((pattern) => pattern.test(name));
