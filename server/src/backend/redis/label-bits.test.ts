import { DISPUTE_BIT, ENTITY_KINDS, kindIndex, type LabelEffect } from '@portcullis/engine';
import { expect, test } from 'vitest';
import { LABEL_BITS, labelBits, labelIn } from './label-bits.ts';

const DEVICE = 1 << kindIndex.device;
const USER = 1 << kindIndex.user;
const AT = 2000;
const MASKS = [0, DEVICE, USER, USER | DISPUTE_BIT, USER | DEVICE | DISPUTE_BIT];
/** The part of a mask that the record of one kind has. */
const ownOf = (kind: number, actors: number): number =>
  actors & ((1 << kind) | (kind === kindIndex.user ? DISPUTE_BIT : 0));

const EFFECTS: LabelEffect[] = MASKS.flatMap((actors) => [
  { fraud: true, at: AT, actors, insteadOf: undefined },
  { fraud: true, at: AT, actors, insteadOf: { fraud: false, at: 1000, actors: 0 } },
  { fraud: false, at: AT, actors: 0, insteadOf: { fraud: true, at: 1000, actors } },
  ...MASKS.map((former) => ({ fraud: true, at: AT, actors, insteadOf: { fraud: true, at: AT, actors: former } })),
]);

test.each(ENTITY_KINDS)('the byte of a label in the history of %s says all that the label does to it', (name) => {
  const kind = kindIndex[name];
  for (const effect of EFFECTS) {
    const bits = labelBits(kind, effect);
    expect(bits).toBeLessThan(LABEL_BITS);
    const { actors = 0, insteadOf } = effect;
    const former = insteadOf === undefined ? undefined : { ...insteadOf, actors: ownOf(kind, insteadOf.actors ?? 0) };
    expect(labelIn(kind, bits, AT, insteadOf?.at ?? Number.NaN)).toEqual({
      ...effect,
      actors: ownOf(kind, actors),
      insteadOf: former,
    });
  }
});
