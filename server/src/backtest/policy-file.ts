import { readFileSync } from 'node:fs';
import { type Policy, SIGNALS } from '@portcullis/engine';
import { FileFault } from './items.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScore = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 100;

/**
 * A policy to try, over the one that is in force: `{"version", "thresholds": {"review", "block"}, "points": {"new_device": 20}}`, all of them
 * optional; `points` replaces the rules as a whole. Throws a FileFault that lists everything that is wrong.
 */
export const readPolicyFile = (path: string, inForce: Policy): Policy => {
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new FileFault(`${path} could not be read: ${(error as Error).message}`);
  }
  if (!isRecord(file)) throw new FileFault(`${path}: expected an object such as {"points": {"new_device": 20}}`);
  const { version = `${inForce.version}, changed`, thresholds = inForce.thresholds, points = inForce.points } = file;
  const faults = Object.keys(file)
    .filter((name) => !['version', 'thresholds', 'points'].includes(name))
    .map((name) => `\`${name}\` is not known: there are version, thresholds and points`);
  if (typeof version !== 'string') faults.push('`version` must be a string');
  const { review, block } = isRecord(thresholds) ? thresholds : {};
  if (!isScore(review) || !isScore(block) || review >= block)
    faults.push('`thresholds` must hold whole numbers `review` and `block` from 0 to 100, `review` below `block`');
  const names = new Set(SIGNALS.map(({ name }) => name));
  if (!isRecord(points)) faults.push('`points` must be an object');
  else
    for (const [name, value] of Object.entries(points)) {
      if (!names.has(name)) faults.push(`\`points.${name}\` names no signal; docs/signals.md lists them`);
      else if (!isScore(value)) faults.push(`\`points.${name}\` must be a whole number from 0 to 100`);
    }
  if (faults.length > 0) throw new FileFault(`${path}: ${faults.join('; ')}`);
  return { ...inForce, version, thresholds, points } as Policy;
};
