import { HISTORY_LAYOUT, kindIndex, type Subject } from '@portcullis/engine';

/**
 * Raise it with every change of the layout of values (`record.ts`, `base.ts`, `profile.ts`). It is part of every key, so keys of an old format are
 * ignored and expire.
 */
const FORMAT = 6;

/**
 * How long the history of an entity is kept after the last day it was seen. No signal looks back further than 90
 * days.
 */
export const KEPT_MS = 180 * 24 * 3_600_000;

/**
 * Makes the keys. Those of one entity share a hash tag, so a cluster holds them on one server. The tag holds the tenant
 * and the whole identity: nothing has to be compared after a hit.
 */
export const makeKeys = (prefix: string) => {
  const space = `${prefix}:${HISTORY_LAYOUT}.${FORMAT}`;
  // Decimal: any other base takes three times as long to format, and a screening formats two for each entity.
  const hashTag = (tenant: number, kind: number, { hashes, checks }: Identified): string =>
    `{${tenant}:${kind}:${hashes[kind]}.${checks[kind]}}`;
  return {
    /** The key of the subject's entity of a kind. */
    history: (tenant: number, kind: number, subject: Identified): string =>
      `${space}:h:${hashTag(tenant, kind, subject)}`,
    profile: (tenant: number, subject: Identified): string => `${space}:p:${hashTag(tenant, kindIndex.user, subject)}`,
    /** The key that holds the new base of a live key during a rebuild or copy. */
    staging: (run: string, live: string): string => live.replace(`${space}:`, `${space}:${run}:`),
    live: (run: string, staging: string): string => staging.replace(`${space}:${run}:`, `${space}:`),
    /** A pattern that matches all staging keys of a run. */
    stagingPattern: (run: string): string => `${space}:${run}:*`,
    /** The watermark of each writer, and the number given to the last writer. */
    watermarks: `${space}:tide:{tide}`,
    writers: `${space}:writers:{tide}`,
    marker: (index: number): string => `${space}:m:{${index}}`,
  };
};
export type Keys = ReturnType<typeof makeKeys>;
/** Enough markers that every server of a cluster holds one. */
export const MARKERS_IN_CLUSTER = 64;

/** The identities of a subject, by kind. */
export type Identified = Pick<Subject, 'hashes' | 'checks'>;
