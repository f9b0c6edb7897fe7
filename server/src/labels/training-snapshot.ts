import { TEST_ADDRESS_SIGNAL, unpackOutcome } from '@portcullis/engine';
import { impersonal } from '../backend/erased-request.ts';
import type { ScreeningRow } from '../backend/journal.ts';
import type { TrainingSnapshot } from './store.ts';

/** A version of facts that no training reads, for decisions that a test address forced. */
const UNREADABLE_VERSION = 0;

/** The part of a screening that its label keeps after the screening is deleted. */
export const takeTrainingSnapshot = (screening: ScreeningRow): TrainingSnapshot => {
  const { score, decision, signals, modelVersion } = unpackOutcome(screening.verdict);
  return {
    screened_at: screening.screened_at,
    request: JSON.stringify(impersonal(screening.type, screening.request)),
    score,
    decision,
    model_version: modelVersion,
    facts_version: signals.includes(TEST_ADDRESS_SIGNAL) ? UNREADABLE_VERSION : screening.facts_version,
    facts: screening.facts,
  };
};
