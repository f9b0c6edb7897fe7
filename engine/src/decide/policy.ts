import type { DecisionValue } from '@portcullis/contract';
import type { Facts } from '../history/facts.ts';
import type { Model } from '../model/model.ts';
import type { Subject } from '../subject/subject.ts';
import type { Thresholds } from './thresholds.ts';

/** The effect of an account's list on subjects that match it; `none` for lists that only rules read. */
export type Treatment = 'block' | 'review' | 'trusted' | 'none';

/** The input of an account rule: everything known before any account rule is applied. */
export interface RuleInput {
  readonly subject: Subject;
  readonly facts: Facts;
  /** Score of the model and the signals together. */
  readonly score: number;
  /** Score of the model alone. */
  readonly modelScore: number;
  readonly signals: readonly string[];
  /** Names of the account's lists that the subject matches. */
  readonly lists: readonly string[];
}

/** A rule that an account defined. */
export interface AccountRule {
  readonly id: string;
  /** Rises with each change of the rule. Each stored match names the version that was evaluated. */
  readonly version: number;
  readonly name: string;
  /** A rule in shadow does not change the decision. Its matches are only recorded. */
  readonly state: 'live' | 'shadow';
  /** Points close that percentage of the gap to 100, like the points of signals. */
  readonly action: { readonly points: number } | { readonly decision: DecisionValue };
  /** The rule matches nothing from this time on. */
  readonly expiresAt?: number;
  /** Never throws. An implementation reports its own errors and returns false. */
  readonly matches: (input: RuleInput) => boolean;
}

/** Everything besides the facts that determines a decision. It can change without a change of code. */
export interface Policy {
  readonly version: string;
  /** Sets the score before signals. Without a model, `baseScore` is used. */
  readonly model?: Model;
  readonly baseScore: number;
  readonly thresholds: Thresholds;
  /** Thresholds for events; `thresholds` if absent. */
  readonly eventThresholds?: Thresholds;
  /** By signal name, the percentage of the gap to 100 that the signal closes. A signal not listed is disabled. */
  readonly points: Readonly<Record<string, number>>;
  /** IP addresses with a fixed decision. None can be `allow`: a client must not be able to force that. */
  readonly testAddresses: Readonly<Record<string, 'review' | 'block'>>;
  /** The account's rules, live and in shadow. */
  readonly rules?: readonly AccountRule[];
  /** By the name of each of the account's lists. */
  readonly treatments?: ReadonlyMap<string, Treatment>;
}

export const thresholdsFor = ({ thresholds, eventThresholds }: Policy, type: 'transaction' | 'event'): Thresholds =>
  (type === 'event' ? eventThresholds : undefined) ?? thresholds;

export const DEFAULT_POLICY: Policy = {
  version: 'rules-4',
  baseScore: 2,
  thresholds: { review: 50, block: 80 },
  points: {
    velocity_spike: 28,
    rapid_repeat: 6,
    amount_spike: 17,
    amount_above_maximum: 5,
    first_payment_large: 12,
    new_counterparty_large: 6,
    card_testing_pattern: 45,
    many_instruments: 12,
    shared_instrument: 18,
    instrument_velocity: 5,
    ip_mismatch: 6,
    many_networks: 8,
    ip_velocity: 6,
    shared_ip: 3,
    network_velocity: 4,
    new_device: 8,
    device_switching: 10,
    shared_device: 12,
    device_velocity: 5,
    shared_email: 10,
    counterparty_burst: 4,
    new_account_spree: 8,
    dormant_account: 8,
    failed_logins: 10,
    login_after_failures: 20,
    credential_stuffing: 55,
    network_login_failures: 15,
    signup_farm: 50,
    recent_credential_change: 10,
    takeover_pattern: 30,
    change_from_new_device: 42,
    change_burst: 15,
    methods_added_burst: 20,
    address_mismatch: 8,
    card_testing_spread: 36,
    card_testing_at_counterparty: 42,
    instrument_new_users: 30,
    mule_counterparty: 30,
    structuring: 18,
    structuring_spread: 30,
    collecting_counterparty: 36,
    postal_code_form: 2,
    device_many_users: 30,
    tampered_token: 20,
    replayed_token: 25,
    old_token: 4,
    automated_browser: 18,
    storage_cleared: 2,
    unproven_device: 4,
    similar_device_burst: 6,
    time_zone_mismatch: 5,
    language_mismatch: 2,
    impossible_travel: 34,
    impossible_travel_new_device: 18,
    two_countries_at_once: 48,
    new_country: 8,
    country_mismatch: 8,
    hosting_network: 7,
    vpn_network: 4,
    proxy_network: 10,
    tor_exit: 25,
    brute_force: 45,
    distributed_login_failures: 20,
    payout_from_new_device: 24,
    payout_after_change: 12,
    disposable_email: 8,
    fresh_email_domain: 6,
    fraud_on_user: 30,
    fraud_on_device: 40,
    fraud_on_similar_device: 12,
    fraud_on_address: 25,
    fraud_on_instrument: 50,
    fraud_on_email: 40,
    fraud_on_counterparty: 15,
    fraud_on_network: 8,
  },
  testAddresses: { '203.0.113.2': 'review', '203.0.113.3': 'block' },
};
