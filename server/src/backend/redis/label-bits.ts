import { DISPUTE_BIT, kindIndex, type LabelEffect } from '@portcullis/engine';

const FRAUD = 1;
const SAME_VALUE = 2;
const BLAMES = 4;
const DISPUTE = 8;
const BLAMED = 16;
const WAS_DISPUTE = 32;
/** More than all bits of a label. */
export const LABEL_BITS = 64;

const actorBits = (kind: number, actors: number, blames: number, dispute: number): number =>
  ((actors >>> kind) & 1 ? blames : 0) | (kind === kindIndex.user && (actors & DISPUTE_BIT) !== 0 ? dispute : 0);
const actorsIn = (kind: number, bits: number, blames: number, dispute: number): number =>
  ((bits & blames) !== 0 ? 1 << kind : 0) | ((bits & dispute) !== 0 ? DISPUTE_BIT : 0);

/**
 * The byte of a label's record in the history of one kind: whether it is fraud, has the value of the label that it
 * replaces, blames the entity and is a dispute, and whether that label did and was.
 */
export const labelBits = (kind: number, { fraud, actors = 0, insteadOf }: LabelEffect): number =>
  (fraud ? FRAUD : 0) |
  (insteadOf?.fraud === fraud ? SAME_VALUE : 0) |
  actorBits(kind, actors, BLAMES, DISPUTE) |
  actorBits(kind, insteadOf?.actors ?? 0, BLAMED, WAS_DISPUTE);

/** Reads the byte. The replaced label counted since `replacedAt`, NaN if there is none. */
export const labelIn = (kind: number, bits: number, at: number, replacedAt: number): LabelEffect => {
  const fraud = (bits & FRAUD) !== 0;
  const wasFraud = (bits & SAME_VALUE) !== 0 ? fraud : !fraud;
  const former = { fraud: wasFraud, at: replacedAt, actors: actorsIn(kind, bits, BLAMED, WAS_DISPUTE) };
  const insteadOf = Number.isNaN(replacedAt) ? undefined : former;
  return { fraud, at, actors: actorsIn(kind, bits, BLAMES, DISPUTE), insteadOf };
};
