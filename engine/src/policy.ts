import type { Model } from './model.ts';
import type { OwnRule } from './own-rules.ts';

export interface Thresholds {
  readonly review: number;
  readonly block: number;
}

/** What being on a list of the account's means for a subject; `none` where rules alone look at it. */
export type Treatment = 'block' | 'review' | 'trusted' | 'none';

/** What turns facts into a decision and may be changed without changing code. */
export interface Policy {
  readonly version: string;
  /** Says where the score starts; without one it starts at `baseScore`. */
  readonly model?: Model;
  readonly baseScore: number;
  /** Scores from here on are a `review`, and from there on a `block`; events may have others. */
  readonly thresholds: Thresholds;
  readonly eventThresholds?: Thresholds;
  /** Rules: how many points of the room the model leaves each signal takes, in hundredths. A signal that is not named here has no say. */
  readonly points: Readonly<Record<string, number>>;
  /** Addresses with a decision of their own. None can be allowed: nothing a client sends may force that. */
  readonly testAddresses: Readonly<Record<string, 'review' | 'block'>>;
  /** The account's own, live and in shadow. */
  readonly rules?: readonly OwnRule[];
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
