import type { MemberShare } from '@portcullis/client';

/** A member of a screening request, and the signals that need it. */
export interface Member {
  readonly name: MemberShare['name'];
  readonly on: readonly ('transaction' | 'event')[];
  readonly signals: readonly string[];
  readonly cost: string;
}

export const MEMBERS: readonly Member[] = [
  {
    name: 'ip_address',
    on: ['transaction', 'event'],
    signals: [
      'ip_mismatch',
      'many_networks',
      'ip_velocity',
      'shared_ip',
      'network_velocity',
      'impossible_travel',
      'two_countries_at_once',
      'new_country',
      'country_mismatch',
      'hosting_network',
      'vpn_network',
      'proxy_network',
      'tor_exit',
      'credential_stuffing',
      'network_login_failures',
      'distributed_login_failures',
      'fraud_on_address',
      'fraud_on_network',
    ],
    cost: 'Place, network and travel are unknown.',
  },
  {
    name: 'device_token',
    on: ['transaction', 'event'],
    signals: [
      'new_device',
      'device_switching',
      'shared_device',
      'device_many_users',
      'device_velocity',
      'tampered_token',
      'replayed_token',
      'old_token',
      'automated_browser',
      'storage_cleared',
      'unproven_device',
      'similar_device_burst',
      'time_zone_mismatch',
      'language_mismatch',
      'change_from_new_device',
      'fraud_on_device',
      'fraud_on_similar_device',
    ],
    cost: 'A stolen account looks like its owner.',
  },
  {
    name: 'email',
    on: ['transaction', 'event'],
    signals: ['shared_email', 'disposable_email', 'fresh_email_domain', 'fraud_on_email'],
    cost: 'Accounts of one mailbox are not linked.',
  },
  {
    name: 'payment_fingerprint',
    on: ['transaction'],
    signals: [
      'card_testing_pattern',
      'card_testing_spread',
      'many_instruments',
      'shared_instrument',
      'instrument_new_users',
      'instrument_velocity',
      'fraud_on_instrument',
    ],
    cost: 'Card testing and shared cards are not detected.',
  },
  {
    name: 'counterparty_id',
    on: ['transaction'],
    signals: [
      'new_counterparty_large',
      'counterparty_burst',
      'mule_counterparty',
      'structuring_spread',
      'collecting_counterparty',
      'card_testing_at_counterparty',
      'fraud_on_counterparty',
    ],
    cost: 'Mule accounts and attacks on one shop are not detected.',
  },
];

/** Below this share, a member counts as missing. */
export const ENOUGH = 0.8;
