import { parentPort } from 'node:worker_threads';
import {
  decide,
  type Facts,
  knowledgeIn,
  type Model,
  ModelError,
  markPresent,
  recomputeFactors,
  type Subject,
  subjectOf,
  unpackFacts,
  unpackVerdict,
  type Verdict,
} from '@portcullis/engine';
import { presentRequest } from '../backend/erased-request.ts';
import { readStoredModel } from '../models/stored-model.ts';
import { makeCompiledRules } from '../rules/compiled-rules.ts';
import { lowerThreadPriority } from '../runtime/thread-priority.ts';
import type { RecomputeAnswer, RecomputeRequest, ReplayBy } from './recompute.ts';

/** Recomputes the factors of stored decisions, and replays them: exact ones take tens of milliseconds, and so does reading a model. */
const port = parentPort;
if (port === null) throw new Error('recompute-thread.ts must run as a worker thread');
try {
  lowerThreadPriority('BELOW_NORMAL');
} catch {
  // Some containers forbid it. The thread works without it.
}

const MAX_MODELS = 32;
/** Models by account and version, the most recently used last. Undefined: the model cannot be read. */
const models = new Map<string, Model | undefined>();

/** A later version of the service may lack features of a model that an earlier version trained. */
const readIfPossible = (file: string): Model | undefined => {
  try {
    return readStoredModel(file);
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
};

/** The decision of a policy and a model, with all factors. List matches are those of the screening. */
const replay = (
  stored: Verdict,
  model: Model,
  subject: Subject,
  facts: Facts,
  { policy, rules }: ReplayBy,
): Verdict => {
  // A rule that fails counts as not matched, as in screening. It is reported there.
  const { of } = makeCompiledRules(() => {});
  const verdict = decide({ ...policy, model, rules: rules.map((row) => of(row).rule) }, subject, facts, stored.lists);
  return { ...verdict, ...recomputeFactors(verdict, model, subject, facts, false) };
};

const recompute = ({ model: key, file, row, work }: RecomputeRequest): RecomputeAnswer => {
  if (file === undefined && !models.has(key)) return { needsModel: true };
  const model = models.has(key) ? models.get(key) : readIfPossible(file as string);
  models.delete(key);
  models.set(key, model);
  if (models.size > MAX_MODELS) models.delete(models.keys().next().value as string);
  if (model === undefined) return { recomputed: undefined };
  const facts = unpackFacts(row.facts);
  const subject = subjectOf(markPresent, row.type, presentRequest(row.request), row.screened_at, knowledgeIn(facts));
  const stored = unpackVerdict(row.verdict);
  return 'replayBy' in work
    ? { replayed: replay(stored, model, subject, facts, work.replayBy) }
    : { recomputed: recomputeFactors(stored, model, subject, facts, work.isExact) };
};

port.on('message', (message: RecomputeRequest | 'close') => {
  if (message === 'close') port.close();
  else port.postMessage(recompute(message));
});
