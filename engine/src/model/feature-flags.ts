export interface FlagText {
  readonly yes: string;
  readonly no: string;
}
/** Sentences for features that are 1 or 0, by name. */
export const FLAG_TEXTS: Readonly<Record<string, FlagText>> = {
  is_event: { yes: 'This is an event', no: 'This is a payment' },
  is_login: { yes: 'This is a login', no: 'This is not a login' },
  is_failed: { yes: 'The attempt failed', no: 'The attempt did not fail' },
  is_signup: { yes: 'This is a signup', no: 'This is not a signup' },
  is_payout: { yes: 'This is a payout request', no: 'This is not a payout request' },
  is_change: { yes: 'This is a change of credentials', no: 'This is not a change of credentials' },
  is_method_added: { yes: 'A payment method is added', no: 'No payment method is added' },
  is_night: { yes: 'It is night (UTC)', no: 'It is not night (UTC)' },
  is_weekend: { yes: 'It is a weekend', no: 'It is a weekday' },
  ip_hosting: { yes: 'The IP address is at a hosting provider', no: 'The IP address is not at a hosting provider' },
  ip_vpn: { yes: 'The IP address belongs to a VPN', no: 'The IP address belongs to no known VPN' },
  ip_proxy: { yes: 'The IP address is a proxy', no: 'The IP address is not a known proxy' },
  ip_tor: { yes: 'The IP address is a Tor exit', no: 'The IP address is not a Tor exit' },
  ip_reserved: { yes: 'The IP address is not a public one', no: 'The IP address is a public one' },
  email_disposable: {
    yes: 'The e-mail domain offers disposable addresses',
    no: 'The e-mail domain offers no disposable addresses',
  },
  email_free: {
    yes: 'The e-mail domain offers free addresses',
    no: 'The e-mail domain offers no free addresses',
  },
  ip_country_is_not_billing: {
    yes: 'The IP address and the billing address are in different countries',
    no: 'The IP address and the billing address are in the same country',
  },
  shipping_country_is_not_billing: {
    yes: 'The shipping address and the billing address are in different countries',
    no: 'The shipping address and the billing address are in the same country',
  },
};
