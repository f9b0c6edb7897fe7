import { type KnowledgeSource, openKnowledge } from '../server/src/knowledge/knowledge.ts';

/** The shipped lookup tables. A missing table is an error, because every figure would differ. */
export const openShippedKnowledge = (): KnowledgeSource =>
  openKnowledge({ ipDatabase: undefined, torExitList: undefined, proxyList: undefined }, (message) => {
    throw new Error(message);
  });
