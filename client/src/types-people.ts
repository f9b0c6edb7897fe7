// Generated from the contract by `npm run client`. Do not edit.

/** The person with the link for the invitation. */
export interface NewPerson {
  /** The person. */
  person_id: string;
  email: string;
  name: string;
  /** Role in the environment of the request. */
  role: 'admin' | 'manager' | 'analyst' | 'reader';
  /** False until the person has used a link. */
  has_password: boolean;
  /** Whether the person has signed in through the identity provider. */
  has_sso: boolean;
  /** Whether a code of an app is asked for at sign-in. */
  has_totp: boolean;
  signed_in_at: string | null;
  /** When the person was added to the account. */
  created_at: string;
  /** Link for the invitation. `null` for a person who has a role in the other environment already. */
  link: PersonLink | null;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** A person with a role in this environment. */
export interface Person {
  /** The person. */
  person_id: string;
  email: string;
  name: string;
  /** Role in the environment of the request. */
  role: 'admin' | 'manager' | 'analyst' | 'reader';
  /** False until the person has used a link. */
  has_password: boolean;
  /** Whether the person has signed in through the identity provider. */
  has_sso: boolean;
  /** Whether a code of an app is asked for at sign-in. */
  has_totp: boolean;
  signed_in_at: string | null;
  /** When the person was added to the account. */
  created_at: string;
}

/** A link that sets a password and signs the person in. It works once. */
export interface PersonLink {
  /** The person. */
  person_id: string;
  /** Path of the page that uses the link, with the token in the fragment. Append it to the address of the console. Shown only once. */
  path: string;
  token: string;
  /** When the link stops working. */
  expires_at: string;
}

/** By e-mail. */
export interface PersonList {
  people: Person[];
}
