import Type, { type TSchema } from 'typebox';
import { holdsCardNumber } from './mask.ts';
import { MIN_CARD_DIGITS } from './runs.ts';

/**
 * What happens to a card number in a string field:
 * - `mask`: its middle digits are hidden.
 * - `identifier`: the same, and a tag keeps different identifiers apart.
 * - `device`: an identifier, unless it is a token of the device SDK, which is never stored.
 * - `exact`: nothing. The field cannot hold one, or refuses it.
 */
export type CardRule = 'mask' | 'identifier' | 'device' | 'exact';

/** The name of the rule in a schema. Not enumerable, like the other notes of the library: it is not in the OpenAPI document. */
const RULE = '~card';

export const withCardRule = <T extends TSchema>(schema: T, rule: CardRule): T =>
  Object.defineProperty(schema, RULE, { value: rule });

interface StringSchema {
  readonly [RULE]?: CardRule;
  readonly maxLength?: number;
}

/** The rule of a string schema. Free text is masked, so that a new field is safe unless it says otherwise. */
export const cardRuleOf = (schema: object): CardRule => {
  const { [RULE]: rule, maxLength = Number.POSITIVE_INFINITY } = schema as StringSchema;
  const isFree = !('enum' in schema || 'const' in schema || 'pattern' in schema || 'format' in schema);
  return rule ?? (isFree && maxLength >= MIN_CARD_DIGITS ? 'mask' : 'exact');
};

/** A name or address that is refused if it holds a card number: masked, it would be another one. */
export const withoutCardNumber = <T extends TSchema>(schema: T): T =>
  withCardRule(
    Type.Refine(
      schema,
      (value) => typeof value !== 'string' || !holdsCardNumber(value),
      () => 'must not contain a card number, and this looks like one',
    ) as unknown as T,
    'exact',
  );
