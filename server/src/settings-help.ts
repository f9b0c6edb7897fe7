/** One environment variable, as `serve --help` explains it. docs/settings.md has the details. */
export interface Setting {
  readonly name: string;
  /** The value without the setting, or what happens then. */
  readonly default: string;
  readonly meaning: string;
}

export const SETTINGS: readonly Setting[] = [
  { name: 'HOST', default: '127.0.0.1', meaning: 'address to listen on' },
  { name: 'PORT', default: '8080', meaning: 'TCP port; 0 selects a free one' },
  { name: 'SANDBOX_HOST', default: 'any', meaning: 'host name for sandbox keys' },
  { name: 'PRODUCTION_HOST', default: 'any', meaning: 'host name for production keys' },
  { name: 'RATE_LIMIT_PER_MINUTE', default: 'no limit', meaning: 'requests per minute of a key' },
  { name: 'MAX_CONNECTIONS', default: '4000', meaning: 'open connections of the process' },
  { name: 'MAX_CONNECTIONS_PER_ADDRESS', default: '256', meaning: 'open connections of a client without a valid key' },
  { name: 'MAX_FAILED_KEYS_PER_MINUTE', default: '60', meaning: 'unknown API keys of a client per minute' },
  { name: 'TRUSTED_PROXIES', default: 'none', meaning: 'CIDR ranges of proxies that set X-Forwarded-For' },
  { name: 'LOG_LEVEL', default: 'info', meaning: 'fatal, error, warn, info, debug, trace or silent' },
  { name: 'DATA_DIR', default: './data', meaning: 'folder of the embedded store' },
  { name: 'SECRET_KEY', default: 'created in DATA_DIR', meaning: '32 bytes in base64 that protect stored secrets' },
  { name: 'API_KEYS', default: 'none', meaning: 'admin keys of the account named "default", comma separated' },
  { name: 'OIDC_ISSUER', default: 'none', meaning: 'OpenID provider for single sign-on' },
  { name: 'OIDC_CLIENT_ID', default: 'none', meaning: 'id of the client at the provider' },
  { name: 'OIDC_CLIENT_SECRET', default: 'none', meaning: 'its secret' },
  { name: 'OIDC_NAME', default: 'single sign-on', meaning: 'name of the provider on the sign-in page' },
  { name: 'OIDC_TRUST_EMAIL', default: 'off', meaning: 'take addresses without email_verified: on or off' },
  { name: 'CONSOLE_URL', default: 'none', meaning: 'address of the console, for single sign-on' },
  { name: 'AUDIT_STREAM', default: 'none', meaning: 'file:/path, syslog://host:port or syslogs://host:port' },
  { name: 'WEBHOOK_ALLOWED_NETWORKS', default: 'none', meaning: 'additional CIDR ranges for webhook endpoints' },
  { name: 'WEBHOOK_CA_FILE', default: 'none', meaning: 'PEM file with additional certificate authorities' },
  { name: 'MODEL_FILE', default: 'the shipped model', meaning: 'model of accounts without their own' },
  { name: 'TRAIN_DAILY', default: 'on', meaning: 'train account models once a day: on or off' },
  { name: 'CASES_KEPT_DAYS', default: 'no limit', meaning: 'days that cases and reviews are kept, at least 90' },
  { name: 'LABELS_KEPT_DAYS', default: 'no limit', meaning: 'days that labels are kept, at least 90' },
  { name: 'DELIVERIES_KEPT_DAYS', default: '30', meaning: 'days that webhook deliveries are kept, 7 to 365' },
  { name: 'IP_DATABASE', default: 'built-in tables', meaning: 'MMDB file of countries, cities or anonymous addresses' },
  { name: 'TOR_EXIT_LIST', default: 'none', meaning: 'file with addresses of Tor exits' },
  { name: 'PROXY_LIST', default: 'none', meaning: 'file with addresses or CIDR ranges of proxies' },
  { name: 'DATABASE_URL', default: 'the embedded store', meaning: 'PostgreSQL, to share the store between processes' },
  { name: 'REDIS_URL', default: 'the embedded store', meaning: 'Redis or Valkey, required with DATABASE_URL' },
  { name: 'ROLE', default: 'all', meaning: 'all, api or worker' },
];

/** The settings as a table for a terminal. */
export const settingsTable = (): string => {
  const width = Math.max(...SETTINGS.map(({ name }) => name.length));
  return SETTINGS.map(
    (setting) => `  ${setting.name.padEnd(width)}  ${setting.meaning} (default: ${setting.default})`,
  ).join('\n');
};
