import { isNetwork, PERMISSIONS, type Permission, readTimestamp } from '@portcullis/contract/values';
import { InvalidArgumentError } from 'commander';

const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** A time such as 2026-11-14 or 2026-11-14T09:30:00Z. */
export const timeOption = (text: string): number => {
  const at = readTimestamp(text);
  if (at === undefined) throw new InvalidArgumentError('Expected a time such as 2026-11-14 or 2026-11-14T09:30:00Z.');
  return at;
};

/** A length of time such as 7d, 36h or 2w. */
export const durationOption = (text: string): number => {
  const [, count, unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('Expected a length of time such as 7d, 36h or 2w.');
  return ms;
};

/** Permissions such as screen,read. */
export const permissionsOption = (text: string): Permission[] => {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !PERMISSIONS.includes(name as Permission));
  if (unknown !== undefined) throw new InvalidArgumentError(`Expected some of ${PERMISSIONS.join(', ')}.`);
  return names as Permission[];
};

/** One address or network; the option can be repeated. */
export const networkOption = (text: string, before: string[] = []): string[] => {
  if (!isNetwork(text)) throw new InvalidArgumentError('Expected an IP address, or a network such as 203.0.113.0/24.');
  return [...before, text];
};

/** A whole number from `low` to `high`. */
export const wholeOption =
  (low: number, high: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= low && value <= high))
      throw new InvalidArgumentError(`Expected a whole number from ${low} to ${high}.`);
    return value;
  };
