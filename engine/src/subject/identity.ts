import { RELATED_KINDS, type RelatedKind } from './entity.ts';
import { digest, messageWords, type SipKey, sipHash, sipKeyOf } from './siphash.ts';

/**
 * The identity of an entity: a keyed hash of tenant, kind and name. Of its 128 bits, 106 are kept, as two numbers that
 * are exact: the key, by which tables find the entity, and the check, which tells it from another with the same key.
 * Without the key of the installation nobody can choose a name with the identity of another, or names that are slow
 * to find.
 */
export const TWO_32 = 2 ** 32;
/** With the 32 low bits, as many bits as a number represents exactly. */
const HIGH_SHIFT = 11;

/** Fills in `keys[kind]`, never 0, and `checks[kind]` with the identity of a tenant's entity. */
export type Identify = (kind: number, name: string, keys: number[], checks: number[]) => void;

const numberOf = (low: number, high: number): number => (high >>> HIGH_SHIFT) * TWO_32 + (low >>> 0);

/** The first byte of a message: the kind and whether the name takes two bytes a character. */
const WIDE = 0x80;
const MAX_LATIN = 0xff;
if (RELATED_KINDS.length > WIDE) throw new Error('a message has no room for so many kinds');
/**
 * The code of each kind in a message. Kinds that were added later come last, so that entities of the others keep their
 * identity.
 */
const LATER_KINDS: readonly RelatedKind[] = ['shipping', 'recurring', 'account'];
const CODED_KINDS = [...RELATED_KINDS.filter((kind) => !LATER_KINDS.includes(kind)), ...LATER_KINDS];
const CODES = Uint8Array.from(RELATED_KINDS, (kind) => CODED_KINDS.indexOf(kind));

/** Packs a byte and the characters of a text, one byte each, into words. Returns the length; 0 if a character is larger. */
const packLatin = (words: Int32Array, first: number, text: string): number => {
  let word = first;
  let used = 8;
  let at = 0;
  let seen = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    seen |= unit;
    word |= unit << used;
    used += 8;
    if (used < 32) continue;
    words[at++] = word;
    word = 0;
    used = 0;
  }
  words[at] = word;
  return seen <= MAX_LATIN ? text.length + 1 : 0;
};

/** Packs a byte and the characters of a text, two bytes each, into words. Returns the length. */
const packWide = (words: Int32Array, first: number, text: string): number => {
  let word = first;
  for (let i = 0; i < text.length; i += 2) {
    const next = i + 1 < text.length ? text.charCodeAt(i + 1) : 0;
    words[i >> 1] = word | (text.charCodeAt(i) << 8) | (next << 24);
    word = next >>> 8;
  }
  words[(text.length + 1) >> 1] = word;
  return 2 * text.length + 1;
};

/**
 * Writes kind and name as a message. No two pairs give the same bytes: a name is written with one byte a character
 * exactly if all its characters fit, and the first byte says so.
 */
const writeMessage = (kind: number, name: string): number => {
  const words = messageWords(2 * name.length + 1);
  const code = CODES[kind] as number;
  return packLatin(words, code, name) || packWide(words, code | WIDE, name);
};

const makeIdentify = (key: SipKey): Identify => {
  // The last entity of each kind: every subject of a tenant has the same account.
  const lastNames: (string | undefined)[] = RELATED_KINDS.map(() => undefined);
  const lastKeys = new Float64Array(RELATED_KINDS.length);
  const lastChecks = new Float64Array(RELATED_KINDS.length);
  return (kind, name, keys, checks) => {
    if (lastNames[kind] !== name) {
      sipHash(key, writeMessage(kind, name));
      lastNames[kind] = name;
      // 0 means that a subject has no such entity.
      lastKeys[kind] = numberOf(digest[0] as number, digest[1] as number) || 1;
      lastChecks[kind] = numberOf(digest[2] as number, digest[3] as number);
    }
    keys[kind] = lastKeys[kind] as number;
    checks[kind] = lastChecks[kind] as number;
  };
};

/** Marks the messages that subkeys are derived from. */
const SUBKEY = 0xff;
const subkeyOf = (key: SipKey, tenant: number): SipKey => {
  const text = String(tenant);
  sipHash(key, packLatin(messageWords(text.length + 1), SUBKEY, text));
  return digest.slice();
};

/** Returns the `Identify` of a tenant. Each tenant has its own key, derived from that of the installation. */
export type IdentitiesOf = (tenant: number) => Identify;

/** `key` has 16 random bytes that only the installation knows. */
export const makeIdentities = (key: Uint8Array): IdentitiesOf => {
  const installation = sipKeyOf(key);
  const tenants = new Map<number, Identify>();
  return (tenant) => {
    let identify = tenants.get(tenant);
    if (identify === undefined) {
      identify = makeIdentify(subkeyOf(installation, tenant));
      tenants.set(tenant, identify);
    }
    return identify;
  };
};

/** Only tells which entities a subject has, for subjects that are read and not counted. */
export const markPresent: Identify = (kind, _name, keys) => {
  keys[kind] = 1;
};

/**
 * Identities under a public key, for sequences without a store: files, simulations and trainings. Their results must
 * not differ between installations. Never use them for histories that a service keeps.
 */
export const identifyOffline: Identify = makeIdentify(new Int32Array(4));
