// Generated from the contract by `npm run client`. Do not edit.

/** Omitted fields keep their value. */
export interface PersonChange {
  /** Name of the person. */
  name?: string | undefined;
  /** `admin`: all operations. `manager`: read with personal data, resolve cases, review decisions, change rules, lists, the policy and models. `analyst`: read with personal data, resolve cases, review decisions. `reader`: read only, without personal data. */
  role?: 'admin' | 'manager' | 'analyst' | 'reader' | undefined;
}

/** The person gets the role in the environment of the request. */
export interface PersonRequest {
  /** E-mail address, which the person signs in with. */
  email: string;
  /** Name of the person. */
  name: string;
  /** `admin`: all operations. `manager`: read with personal data, resolve cases, review decisions, change rules, lists, the policy and models. `analyst`: read with personal data, resolve cases, review decisions. `reader`: read only, without personal data. */
  role: 'admin' | 'manager' | 'analyst' | 'reader';
}
