import { maskCardNumbers, needsMask } from '@portcullis/contract/values';

/** A string or a number of a JSON text. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[\d.eE+-]+/g;

const maskText = (text: string, token: string): string => {
  const masked = maskCardNumbers(text);
  return masked === text ? token : JSON.stringify(masked);
};

/** The point of a number separates no groups of a card: 82786.06136348788 is a measurement. */
const DIGITS = /\d+/g;
const holdsCard = (number: string): boolean => number.match(DIGITS)?.some(needsMask) ?? false;

const maskToken = (token: string): string => {
  if (token.startsWith('"')) return maskText(JSON.parse(token) as string, token);
  return holdsCard(token) ? maskText(token, token) : token;
};

/**
 * Masks card numbers in the strings, field names and numbers of a valid JSON text, whether or not the service reads the
 * field. Returns the same text if there is none.
 */
export const maskJson = (json: string): string =>
  // Most texts have no escapes and no card number, also not across the borders of their values.
  !json.includes('\\') && !needsMask(json) ? json : json.replace(TOKEN, maskToken);
