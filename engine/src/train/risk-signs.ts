const RISING =
  /^signal\.|failed_logins|\.frauds|known_frauds|actor_frauds|\.disputes|dispute_days|distinct_(?:user|fingerprint|device|email|country|asn|network|ip)\.|\.crowd\.|_transactions\.|\.transactions\.(?:10m|1h)|^ip_(?:tor|proxy)$|email_disposable|methods_added\.|\.signups\.|\.changes\./;

const FALLING = /^user\.trust_|^(?!user\.)\w+\.known_ms$/;

/**
 * 1 for a feature of which more never lowers the risk, -1 for one of which more never raises it, else 0. Training keeps
 * the model to these signs.
 */
export const riskSign = (feature: string): -1 | 0 | 1 => (RISING.test(feature) ? 1 : FALLING.test(feature) ? -1 : 0);
