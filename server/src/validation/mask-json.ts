import { maskCardNumbers, needsMask } from '@portcullis/contract/values';

/** A string or a number of a JSON text. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[\d.eE+-]+/g;

const maskToken = (token: string): string => {
  const text = token.startsWith('"') ? (JSON.parse(token) as string) : token;
  const masked = maskCardNumbers(text);
  return masked === text ? token : JSON.stringify(masked);
};

/**
 * Masks card numbers in the strings, field names and numbers of a valid JSON text, whether or not the service reads the
 * field. Returns the same text if there is none.
 */
export const maskJson = (json: string): string =>
  // Most texts have no escapes and no card number, also not across the borders of their values.
  !json.includes('\\') && !needsMask(json) ? json : json.replace(TOKEN, maskToken);
