/** The part of the engine that reads stored screenings. Threads that only read load this instead of the whole engine. */
export * from './decide/stored-verdict.ts';
export * from './history/actors.ts';
export * from './history/facts.ts';
export * from './subject/entity.ts';
export * from './subject/hash53.ts';
export * from './subject/identity.ts';
export * from './subject/lookup-facts.ts';
export * from './subject/subject.ts';
