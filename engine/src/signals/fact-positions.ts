import { PAIR_FACTS } from '../history/fact-layout.ts';
import { FACT_NAMES, fact } from '../history/facts.ts';
import type { WindowName } from '../history/windows.ts';

/** Positions of the facts that signals read, by entity. */

const windows = (name: string) => {
  const at = (window: WindowName) => fact(`${name}.${window}`);
  return { m1: at('1m'), m10: at('10m'), h1: at('1h'), h24: at('24h'), d7: at('7d'), d30: at('30d') };
};

/** By position of the age of a user with an entity: the index of their pair among PAIR_FACTS. */
export const PAIR_AT = new Uint16Array(FACT_NAMES.length);
for (const [i, age] of PAIR_FACTS.ages.entries()) PAIR_AT[age] = i;

/** By position of the age of a user with an entity: that of the days since they were with another of the kind; -1 if not known. */
export const OTHER_AT = new Int16Array(FACT_NAMES.length).fill(-1);
for (const kind of ['device', 'network', 'country'])
  OTHER_AT[fact(`user.this_${kind}_age_ms`)] = fact(`user.other_${kind}_days`);

/** By position of a count of distinct entities in a window: the position of the user's failed logins in that window. */
export const FAILED_AT = new Uint16Array(FACT_NAMES.length);
for (const [i, name] of FACT_NAMES.entries()) {
  const window = /\.distinct_\w+\.(\w+)$/.exec(name)?.[1];
  if (window !== undefined) FAILED_AT[i] = fact(`user.failed_logins.${window}`);
}

export const dollars = fact('dollars');
/** Looked-up facts of the IP address and the e-mail address: see KNOWLEDGE. */
export const known = {
  country: fact('ip_country'),
  asn: fact('asn'),
  hosting: fact('ip_hosting'),
  vpn: fact('ip_vpn'),
  proxy: fact('ip_proxy'),
  tor: fact('ip_tor'),
  disposable: fact('email_disposable'),
  free: fact('email_free'),
};
/** Facts of the device SDK token. */
export const token = {
  state: fact('device_state'),
  age: fact('device_token_age_ms'),
  automation: fact('device_automation'),
  zoneCountry: fact('device_zone_country'),
  zoneFits: fact('device_zone_fits'),
  languageFits: fact('device_language_fits'),
};
/**
 * The confirmed frauds that an entity is to blame for, and how long ago the last was reported; `all` are those it took
 * part in. Before version 5 of the facts only these are known.
 */
const fraudOf = (kind: string) => ({
  knownFrauds: fact(`${kind}.actor_frauds_known`),
  fraudAge: fact(`${kind}.actor_fraud_age_ms`),
  frauds: windows(`${kind}.actor_frauds`),
  all: {
    knownFrauds: fact(`${kind}.known_frauds`),
    fraudAge: fact(`${kind}.fraud_age_ms`),
    frauds: windows(`${kind}.frauds`),
  },
});
export type FraudPositions = ReturnType<typeof fraudOf>;
export const user = {
  age: fact('user.age_ms'),
  idle: fact('user.idle_ms'),
  actions: fact('user.actions'),
  payments: fact('user.payments'),
  mean: fact('user.amount_mean'),
  deviation: fact('user.amount_deviation'),
  max: fact('user.amount_max'),
  transactions: windows('user.transactions'),
  amount: windows('user.amount'),
  logins: windows('user.logins'),
  failedLogins: windows('user.failed_logins'),
  changes: windows('user.changes'),
  changeAge: fact('user.change_age_ms'),
  methodsAdded: windows('user.methods_added'),
  small: windows('user.small_transactions'),
  networks: windows('user.distinct_network'),
  devices: windows('user.distinct_device'),
  fingerprints: windows('user.distinct_fingerprint'),
  thisNetwork: fact('user.this_network_age_ms'),
  thisDevice: fact('user.this_device_age_ms'),
  thisDeviceProfile: fact('user.this_likeness_age_ms'),
  thisFingerprint: fact('user.this_fingerprint_age_ms'),
  counterparties: windows('user.distinct_counterparty'),
  thisCounterparty: fact('user.this_counterparty_age_ms'),
  countries: windows('user.distinct_country'),
  thisCountry: fact('user.this_country_age_ms'),
  thisIp: fact('user.this_ip_age_ms'),
  thisEmail: fact('user.this_email_age_ms'),
  disputes: fact('user.disputes_known'),
  disputeDays: fact('user.dispute_days'),
  travelKm: fact('user.travel_km'),
  travelMs: fact('user.travel_ms'),
  ...fraudOf('user'),
};
export const ip = {
  transactions: windows('ip.transactions'),
  small: windows('ip.small_transactions'),
  failedLogins: windows('ip.failed_logins'),
  signups: windows('ip.signups'),
  users: windows('ip.distinct_user'),
  fingerprints: windows('ip.distinct_fingerprint'),
  ...fraudOf('ip'),
};
export const network = {
  transactions: windows('network.transactions'),
  signups: windows('network.signups'),
  failedLogins: windows('network.failed_logins'),
  users: windows('network.distinct_user'),
  ...fraudOf('network'),
};
export const device = {
  transactions: windows('device.transactions'),
  small: windows('device.small_transactions'),
  signups: windows('device.signups'),
  users: windows('device.distinct_user'),
  fingerprints: windows('device.distinct_fingerprint'),
  thisToken: fact('device.this_token_age_ms'),
  ...fraudOf('device'),
};
/** The fact names of a device profile are public and keep their older name. */
export const deviceProfile = {
  transactions: windows('likeness.transactions'),
  signups: windows('likeness.signups'),
  failedLogins: windows('likeness.failed_logins'),
  users: windows('likeness.distinct_user'),
  devices: windows('likeness.distinct_device'),
  thisToken: fact('likeness.this_token_age_ms'),
  ...fraudOf('likeness'),
};
export const fingerprint = {
  transactions: windows('fingerprint.transactions'),
  small: windows('fingerprint.small_transactions'),
  users: windows('fingerprint.distinct_user'),
  ...fraudOf('fingerprint'),
};
export const email = { users: windows('email.distinct_user'), ...fraudOf('email') };
export const counterparty = {
  age: fact('counterparty.age_ms'),
  max: fact('counterparty.amount_max'),
  transactions: windows('counterparty.transactions'),
  amount: windows('counterparty.amount'),
  users: windows('counterparty.distinct_user'),
  small: windows('counterparty.small_transactions'),
  large: windows('counterparty.large_transactions'),
  fingerprints: windows('counterparty.distinct_fingerprint'),
  ...fraudOf('counterparty'),
};
export const asn = { failedLogins: windows('asn.failed_logins') };
export const domain = {
  age: fact('domain.age_ms'),
  signups: windows('domain.signups'),
  users: windows('domain.distinct_user'),
};
