/** The permissions that operations require. A key has those of its role, or a set of its own. */
export const PERMISSIONS = ['screen', 'read', 'read_personal', 'review', 'tune', 'administer'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = ['admin', 'manager', 'service', 'analyst', 'reader'] as const;
export type Role = (typeof ROLES)[number];
/** The roles that a person can have. `service` is for keys. */
export const PERSON_ROLES = ['admin', 'manager', 'analyst', 'reader'] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  admin: PERMISSIONS,
  manager: ['read', 'read_personal', 'review', 'tune'],
  service: ['screen', 'read'],
  analyst: ['read', 'read_personal', 'review'],
  reader: ['read'],
};

/** What each permission allows to do. */
export const PERMISSION_MEANINGS: Readonly<Record<Permission, string>> = {
  screen: 'Screen transactions and events',
  read: 'Read results, profiles, cases, webhook endpoints, lists and rules',
  read_personal: 'Read the content of screened requests, such as addresses, e-mail, device and payment instrument',
  review: 'Override decisions, resolve cases and add labels',
  tune: 'Change rules, lists, the policy and models; import history',
  administer: 'Manage webhooks, API keys and people; read metrics and the audit log',
};
