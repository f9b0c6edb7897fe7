import { maskCardNumbers } from '@portcullis/contract';

/** Hides card numbers in a value of a request, and tells the caller: they must reach no table, log, hash or message. */
export const mask = (value: string, member: string, warnings: string[]): string => {
  const masked = maskCardNumbers(value);
  if (masked !== value) {
    warnings.push(`\`${maskCardNumbers(member)}\` looked like a card number and was masked; never send card numbers`);
  }
  return masked;
};

export const maskNotes = (notes: string | undefined, warnings: string[]): string | null =>
  notes === undefined ? null : mask(notes, 'notes', warnings);
