/** What features that are 1 or 0 say, by name. */
import type { Theme } from '@portcullis/contract';

export interface FlagText {
  readonly theme: Theme;
  readonly yes: string;
  /** Undefined if 0 is no reason. */
  readonly no?: string;
  /** In a summary, if it is 1. */
  readonly brief?: string;
  /** Whether 1 speaks against the user, and 0 for them. */
  readonly isBad?: boolean;
}

/** The type of an item is no reason for a decision; only rules use it. */
const itemType = (yes: string): FlagText => ({ theme: 'account', yes });

export const FLAG_TEXTS: Readonly<Record<string, FlagText>> = {
  is_event: itemType('This is an event'),
  is_login: itemType('This is a login'),
  is_failed: { theme: 'account', yes: 'The attempt failed', isBad: true },
  is_signup: itemType('This is a signup'),
  is_payout: itemType('This is a payout request'),
  is_change: itemType('This is a change of credentials'),
  is_method_added: itemType('A payment method is added'),
  ip_hosting: {
    theme: 'place',
    yes: 'The IP address is at a hosting provider',
    no: 'The IP address is not at a hosting provider',
    brief: 'IP address of a hosting provider',
    isBad: true,
  },
  ip_vpn: {
    theme: 'place',
    yes: 'The IP address belongs to a VPN',
    no: 'The IP address belongs to no known VPN',
    brief: 'IP address of a VPN',
    isBad: true,
  },
  ip_proxy: {
    theme: 'place',
    yes: 'The IP address is a proxy',
    no: 'The IP address is not a known proxy',
    brief: 'IP address of a proxy',
    isBad: true,
  },
  ip_tor: {
    theme: 'place',
    yes: 'The IP address is a Tor exit node',
    no: 'The IP address is not a Tor exit node',
    brief: 'Tor exit node',
    isBad: true,
  },
  ip_reserved: { theme: 'place', yes: 'The IP address is not a public one', no: 'The IP address is a public one' },
  email_disposable: {
    theme: 'account',
    yes: 'The e-mail domain offers disposable addresses',
    no: 'The e-mail domain offers no disposable addresses',
    brief: 'disposable e-mail address',
    isBad: true,
  },
  email_free: {
    theme: 'account',
    yes: 'The e-mail domain offers free addresses',
    no: 'The e-mail domain offers no free addresses',
  },
  ip_country_is_not_billing: {
    theme: 'place',
    yes: 'The IP address and the billing address are in different countries',
    no: 'The IP address and the billing address are in the same country',
    brief: 'IP address outside the billing country',
    isBad: true,
  },
  shipping_country_is_not_billing: {
    theme: 'place',
    yes: 'The shipping address and the billing address are in different countries',
    no: 'The shipping address and the billing address are in the same country',
    brief: 'shipping outside the billing country',
    isBad: true,
  },
};
