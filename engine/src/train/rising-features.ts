const RISING =
  /failed_logins|\.frauds|known_frauds|distinct_(?:user|fingerprint|device|email|country|asn|network|ip)\.|\.crowd\.|_transactions\.|\.transactions\.(?:10m|1h)|^ip_(?:tor|proxy)$|email_disposable|methods_added\.|\.signups\.|\.changes\./;

/**
 * Whether a higher value of the feature never lowers the risk. Training keeps the model monotone in such features.
 */
export const raisesRisk = (feature: string): boolean => RISING.test(feature);
