import {
  cardRuleOf,
  isDeviceToken,
  MAX_DEVICE_LENGTH,
  MIN_CARD_DIGITS,
  maskCardNumbers,
  maskIdentifier,
  type TagOf,
} from '@portcullis/contract';

/** The request whose fields are masked. */
interface Masking {
  readonly tagOf: TagOf;
  readonly warnings: string[];
  /** Masked fields so far. */
  count: number;
}

/** Returns a value without card numbers: the same one if it holds none. `path` is the path of the value. */
type Mask = (value: unknown, path: string, masking: Masking) => unknown;

type Fields = Record<string, unknown>;
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const MAX_WARNINGS = 20;

const warn = (masking: Masking, path: string): void => {
  const { warnings } = masking;
  masking.count++;
  if (masking.count === MAX_WARNINGS + 1) warnings.push('further card numbers were masked');
  if (masking.count > MAX_WARNINGS) return;
  warnings.push(`\`${maskCardNumbers(path)}\` looked like a card number and was masked; never send card numbers`);
};

const maskText = (text: string): string => maskCardNumbers(text);
const maskId = (text: string, tagOf: TagOf): string => maskIdentifier(text, tagOf);
/** A character takes up to two code units. */
const MAX_DEVICE_UNITS = 2 * MAX_DEVICE_LENGTH;
/**
 * A token of the device SDK stays as it is: a changed one fails its signature, and it is never stored. Neither is a text
 * that is too long. A shopper chooses it: searching 64 KiB for card numbers would take 10 ms.
 */
const maskDevice = (text: string, tagOf: TagOf): string =>
  isDeviceToken(text) || text.length > MAX_DEVICE_UNITS ? text : maskIdentifier(text, tagOf);

const STRING_MASKS = { mask: maskText, identifier: maskId, device: maskDevice, exact: undefined } as const;

const maskString =
  (mask: (text: string, tagOf: TagOf) => string): Mask =>
  (value, path, masking) => {
    if (typeof value !== 'string') return value;
    const masked = mask(value, masking.tagOf);
    if (masked !== value) warn(masking, path);
    return masked;
  };

/** Most fields are too short for a card number. Asking here saves a call and the path for each. */
const isShort = (value: unknown): boolean => typeof value === 'string' && value.length < MIN_CARD_DIGITS;

const under = (path: string, name: string | number): string => (path === '' ? `${name}` : `${path}.${name}`);

const maskObject =
  (fields: readonly (readonly [name: string, mask: Mask])[]): Mask =>
  (value, path, masking) => {
    const object = value as Fields;
    for (const [name, mask] of fields) {
      const before = object[name];
      if (before === undefined || isShort(before)) continue;
      const after = mask(before, under(path, name), masking);
      if (after !== before) object[name] = after;
    }
    return object;
  };

/** Two keys can be equal once they are masked. Both values are kept. */
const addEntry = (entries: [string, unknown][], key: string, value: unknown): void => {
  const isTaken = (name: string): boolean => entries.some(([taken]) => taken === name);
  let free = key;
  for (let number = 2; isTaken(free); number++) free = `${key} (${number})`;
  entries.push([free, value]);
};

/** Masks an object whose keys the caller chose: the keys too. */
const maskMap =
  (maskValue: Mask | undefined): Mask =>
  (value, path, masking) => {
    const map = value as Fields;
    let changed: [string, unknown][] | undefined;
    for (const [index, key] of Object.keys(map).entries()) {
      const before = map[key];
      const maskedKey = maskCardNumbers(key);
      if (maskedKey !== key) warn(masking, under(path, key));
      const isKept = maskValue === undefined || isShort(before);
      const after = isKept ? before : maskValue(before, under(path, key), masking);
      if (maskedKey !== key || after !== before) changed ??= Object.entries(map).slice(0, index);
      if (changed !== undefined) addEntry(changed, maskedKey, after);
    }
    // Object.fromEntries keeps a key named __proto__, which plain assignment would lose.
    return changed === undefined ? map : Object.fromEntries(changed);
  };

const maskArray =
  (maskItem: Mask): Mask =>
  (value, path, masking) =>
    (value as unknown[]).map((item, index) => maskItem(item, under(path, index), masking));

/** The mask of a schema; undefined if nothing in it can hold a card number. */
const maskOf = (schema: Schema): Mask | undefined => {
  const { anyOf, type, items, properties = {}, additionalProperties } = schema;
  if (anyOf !== undefined) {
    // A string or null: the mask of the string leaves null as it is.
    const masks = anyOf.map(maskOf).filter((mask) => mask !== undefined);
    if (masks.length > 1) throw new Error('a field of a request has two schemas that can hold card numbers');
    return masks[0];
  }
  if (type === 'string') {
    const mask = STRING_MASKS[cardRuleOf(schema)];
    return mask === undefined ? undefined : maskString(mask);
  }
  if (type === 'array') {
    const maskItem = items === undefined ? undefined : maskOf(items);
    return maskItem === undefined ? undefined : maskArray(maskItem);
  }
  if (additionalProperties !== undefined) return maskMap(maskOf(additionalProperties));
  const fields = Object.entries(properties).flatMap(([name, inner]): [string, Mask][] => {
    const mask = maskOf(inner);
    return mask === undefined ? [] : [[name, mask]];
  });
  return fields.length === 0 ? undefined : maskObject(fields);
};

/** Masks the card numbers in a valid body or query, in place, with a warning for each field. */
export type Masker = (value: unknown, warnings: string[], tagOf: TagOf) => void;

/** Makes the masker of a schema. Card numbers must not reach a table, log, hash or message. */
export const makeMasker = (schema: object): Masker => {
  const mask = maskOf(schema as Schema);
  return (value, warnings, tagOf) => {
    mask?.(value, '', { tagOf, warnings, count: 0 });
  };
};
