import { readFileSync } from 'node:fs';
import { KEPT_MS } from './keys.ts';
import { PROFILE_SETTLED } from './profile.ts';
import { ACTIVITY, HEADER, LONG_PROFILE } from './record.ts';

/**
 * The Lua scripts that Redis runs, each as one atomic step. They read, append and cut bytes, and do not know what a
 * record means. Positions in Lua start at 1, offsets in Redis at 0.
 */
const read = (name: string): string => readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8');

/** KEPT_MS is text: Redis formats every number that a script passes to a command, with all digits of a double. */
const CONSTANTS = `local HEADER, ACTIVITY, PROFILE_SETTLED = ${HEADER}, ${ACTIVITY}, ${PROFILE_SETTLED}
local KEPT_MS, LONG_PROFILE = '${KEPT_MS}', ${LONG_PROFILE}
`;
const PRELUDE = CONSTANTS + read('header');
const FENCE = read('fence');

export const SCRIPTS = {
  count: FENCE + PRELUDE + read('count'),
  apply: FENCE + PRELUDE + read('apply'),
  restore: PRELUDE + read('restore'),
  forget: PRELUDE + read('forget'),
  isolate: PRELUDE + read('isolate'),
  clock: read('clock'),
  take: read('take'),
  swap: read('swap'),
} as const;
/** Scripts whose effect a retry would repeat. */
export const FENCED: ReadonlySet<string> = new Set(['count', 'apply'] satisfies (keyof typeof SCRIPTS)[]);
export type ScriptName = keyof typeof SCRIPTS;
