import type { EventType, LabelReason } from '@portcullis/contract';
import type { Attack } from './attacker.ts';
import { ABUSE_ATTACKS } from './attacks-abuse.ts';
import { ACCOUNT_ATTACKS } from './attacks-account.ts';
import { COMPOSED_ATTACKS } from './attacks-composed.ts';
import { JUDGING_ATTACKS } from './attacks-judging.ts';
import { PAYMENT_ATTACKS } from './attacks-payment.ts';
import { TAKEOVER_ATTACKS } from './attacks-takeover.ts';
import { TRAINING_ONLY_ATTACKS } from './attacks-training.ts';
import type { Family } from './businesses.ts';

interface AttackEntry {
  readonly run: Attack;
  /** Event types without which the attack is invisible. */
  readonly needs: readonly EventType[];
  /** The reason that labels of its items state. */
  readonly reason: LabelReason;
  /** Frequency, relative to other attacks. */
  readonly weight?: number;
  /** The attack pays payees or sellers of its own, so that it needs a business with many of them. */
  readonly payees?: true;
}
const COMMON_ATTACKS = { ...PAYMENT_ATTACKS, ...ACCOUNT_ATTACKS, ...TAKEOVER_ATTACKS, ...ABUSE_ATTACKS };
const ATTACKS_OF = {
  training: { ...COMMON_ATTACKS, ...TRAINING_ONLY_ATTACKS },
  judging: { ...COMMON_ATTACKS, ...JUDGING_ATTACKS },
};
export type AttackName =
  | keyof (typeof ATTACKS_OF)['training']
  | keyof (typeof ATTACKS_OF)['judging']
  | keyof typeof COMPOSED_ATTACKS;
export const ATTACKS: Readonly<Record<AttackName, AttackEntry>> = {
  ...ATTACKS_OF.training,
  ...ATTACKS_OF.judging,
  ...COMPOSED_ATTACKS,
};
export const ATTACK_NAMES = Object.keys(ATTACKS) as AttackName[];

/** Attacks that occur in a family of worlds unless others are requested by name. Composed attacks belong to none. */
export const attacksOf = (family: Family): AttackName[] => Object.keys(ATTACKS_OF[family]) as AttackName[];

/** Event types that the caller must send so that these attacks are visible at all. */
export const eventTypesNeededFor = (names: readonly AttackName[]): EventType[] =>
  names.flatMap((name) => [...ATTACKS[name].needs]);
