import { readFileSync } from 'node:fs';
import { type Policy, SIGNALS } from '@portcullis/engine';
import { FileError } from './file-error.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScore = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 100;

/**
 * Reads a policy to test: `{"version", "thresholds": {"review", "block"}, "points": {"new_device": 20}}`. Absent
 * fields are those of the policy in force; `points` replaces all points. Throws a FileError that lists every error.
 */
export const readPolicyFile = (path: string, inForce: Policy): Policy => {
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new FileError(`${path} could not be read: ${(error as Error).message}`);
  }
  if (!isRecord(file)) throw new FileError(`${path}: expected an object such as {"points": {"new_device": 20}}`);
  const { version = `${inForce.version}, changed`, thresholds = inForce.thresholds, points = inForce.points } = file;
  const errors = Object.keys(file)
    .filter((name) => !['version', 'thresholds', 'points'].includes(name))
    .map((name) => `\`${name}\` is unknown; use version, thresholds and points`);
  if (typeof version !== 'string') errors.push('`version` must be a string');
  const { review, block } = isRecord(thresholds) ? thresholds : {};
  if (!isScore(review) || !isScore(block) || review >= block)
    errors.push('`thresholds` must hold whole numbers `review` and `block` from 0 to 100, `review` below `block`');
  const names = new Set(SIGNALS.map(({ name }) => name));
  if (!isRecord(points)) errors.push('`points` must be an object');
  else
    for (const [name, value] of Object.entries(points)) {
      if (!names.has(name)) errors.push(`\`points.${name}\` is not a signal; docs/signals.md lists them`);
      else if (!isScore(value)) errors.push(`\`points.${name}\` must be a whole number from 0 to 100`);
    }
  if (errors.length > 0) throw new FileError(`${path}: ${errors.join('; ')}`);
  return { ...inForce, version, thresholds, points } as Policy;
};
