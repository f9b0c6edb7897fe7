const RECENT_KEY = 'portcullis-recent';
const MAX_RECENT = 6;
interface Recent {
  readonly title: string;
  readonly path: string;
}
export const readRecent = (): readonly Recent[] => {
  try {
    return JSON.parse(sessionStorage.getItem(RECENT_KEY) ?? '[]') as Recent[];
  } catch {
    return [];
  }
};
/** Remembers what was opened, in this tab alone: titles may hold personal data. */
export const remember = (title: string, path: string): void => {
  const next = [{ title, path }, ...readRecent().filter((one) => one.path !== path)].slice(0, MAX_RECENT);
  try {
    sessionStorage.setItem(RECENT_KEY, JSON.stringify(next));
  } catch {
    // Without storage there is nothing to offer.
  }
};
