const RISING =
  /^signal\.|failed_logins|\.frauds|known_frauds|actor_frauds|\.disputes|dispute_days|distinct_(?:user|fingerprint|device|email|country|asn|network|ip)\.|\.crowd\.|_transactions\.|\.transactions\.(?:10m|1h)|^ip_(?:tor|proxy)$|email_disposable|methods_added\.|\.signups\.|\.changes\./;

// A business that is known for longer makes a new customer stand out, so its own age has no sign.
const FALLING = /^user\.trust_|^(?!user\.|account\.)\w+\.known_ms$|^(?:user|device|fingerprint)\.payments_before_24h$/;

/**
 * 1 for a feature of which more never lowers the risk, -1 for one of which more never raises it, else 0. Training keeps
 * the model to these signs.
 */
export const riskSign = (feature: string): -1 | 0 | 1 => (RISING.test(feature) ? 1 : FALLING.test(feature) ? -1 : 0);
