import { readFileSync } from 'node:fs';
import { type Budget, DEFAULT_BUDGET, type Policy, SIGNALS } from '@portcullis/engine';
import { FileError } from './file-error.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRate = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 10_000;
const isScore = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 100;

/**
 * Reads a policy to test: `{"version", "thresholds": {"review", "block"}, "points": {"new_device": 20}, "budget"}`.
 * Absent fields are those of the policy in force, and the default budget; `points` replaces all points. Throws a
 * FileError that lists every error.
 */
export const readPolicyFile = (path: string, inForce: Policy): { policy: Policy; budget: Budget } => {
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new FileError(`${path} could not be read: ${(error as Error).message}`);
  }
  if (!isRecord(file)) throw new FileError(`${path}: expected an object such as {"points": {"new_device": 20}}`);
  const { thresholds = inForce.thresholds, points = inForce.points, budget = DEFAULT_BUDGET } = file;
  const { version = `${inForce.version}, changed` } = file;
  const errors = Object.keys(file)
    .filter((name) => !['version', 'thresholds', 'points', 'budget'].includes(name))
    .map((name) => `\`${name}\` is unknown; use version, thresholds, points and budget`);
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
  const { reviewed_per_10k, blocked_per_10k } = isRecord(budget) ? budget : {};
  if (!isRate(reviewed_per_10k) || !isRate(blocked_per_10k) || blocked_per_10k > reviewed_per_10k)
    errors.push(
      '`budget` must hold numbers `reviewed_per_10k` and `blocked_per_10k` from 0 to 10000, the second not above the first',
    );
  if (errors.length > 0) throw new FileError(`${path}: ${errors.join('; ')}`);
  return { policy: { ...inForce, version, thresholds, points } as Policy, budget: budget as Budget };
};
