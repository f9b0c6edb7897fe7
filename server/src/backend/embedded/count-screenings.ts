import { activityOf, type Facts, makeFacts, measure } from '@portcullis/engine';
import { Unavailable } from '../backend.ts';
import type { CountedScreening, Counters } from '../counters.ts';
import { findEntities, type Histories } from './find-entity.ts';
import { addNewEntities, addVerdict, countIn, userOf } from './fold.ts';
import { evict } from './history-cache.ts';

/** Most screenings that go through the stages together. The facts of more would not fit in the cache of a core. */
const MAX_STAGED = 64;

/** The histories of the process, which are replaced when their file is malformed. */
interface CountState {
  readonly histories: Histories;
  readonly mustRecover: boolean;
}

/** What is kept of a screening from one stage to the next. */
interface Stages {
  readonly state: CountState;
  /** Reused: the facts are packed when `decide` returns. */
  readonly facts: readonly Facts[];
  readonly users: Float64Array;
  readonly activities: Float64Array;
}

/** Measures a screening and then counts it. An error of the disk is thrown before anything is counted. */
const gather = (stages: Stages, { tenant, subject, seq }: CountedScreening, at: number): void => {
  const { histories, mustRecover } = stages.state;
  // The screening before may have found the file malformed.
  if (mustRecover) throw new Unavailable('histories are being read again');
  const facts = stages.facts[at] as Facts;
  findEntities(histories, tenant, subject);
  measure(histories.cache.arena, histories.locations, subject, facts);
  const activity = activityOf(subject, facts);
  addNewEntities(histories, tenant, subject, seq);
  countIn(histories, subject, activity, seq);
  histories.saver.counted(seq);
  stages.users[at] = userOf(histories);
  stages.activities[at] = activity;
};

const conclude = (stages: Stages, { tenant, subject, seq, verdict }: CountedScreening, at: number): void => {
  const { histories } = stages.state;
  if (verdict === undefined) return;
  addVerdict(histories, stages.users[at] as number, subject, verdict);
  if (histories.lost.count() === 0) return;
  histories.lost.miss(tenant, { seq, subject, activity: stages.activities[at] as number, verdict });
};

/** Counts screenings in stages: facts do not depend on verdicts, so all are gathered before the first is decided. */
export const makeCount = (state: CountState): Counters['count'] => {
  const stages: Stages = {
    state,
    facts: Array.from({ length: MAX_STAGED }, makeFacts),
    users: new Float64Array(MAX_STAGED),
    activities: new Float64Array(MAX_STAGED),
  };
  const countSome: Counters['count'] = (screenings, decide, fail) => {
    const gathered: (typeof screenings)[number][] = [];
    state.histories.finder.inOneRead(() => {
      for (const screening of screenings) {
        try {
          gather(stages, screening, gathered.length);
          gathered.push(screening);
        } catch (error) {
          fail(screening, error);
        }
      }
    });
    decide(gathered, stages.facts);
    for (const [at, screening] of gathered.entries()) conclude(stages, screening, at);
    // Last: the group of a user must not be evicted before the verdict is added to it.
    evict(state.histories.cache, screenings.length);
  };
  return (screenings, decide, fail) => {
    for (let from = 0; from < screenings.length; from += MAX_STAGED)
      countSome(screenings.length <= MAX_STAGED ? screenings : screenings.slice(from, from + MAX_STAGED), decide, fail);
  };
};
