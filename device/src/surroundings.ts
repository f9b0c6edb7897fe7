/** More than anybody reads, and few enough for a token to stay short whatever an extension makes up. */
const MAX_LANGUAGES = 8;
const MAX_LENGTH = 64;

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** Where and how the browser is used now. Moving, zooming and another language change it, so it identifies nobody; it is compared with the request. */
export const surroundings = () => ({
  zone: attempt(() => new Intl.DateTimeFormat().resolvedOptions().timeZone.slice(0, MAX_LENGTH)),
  languages:
    attempt(() => navigator.languages.slice(0, MAX_LANGUAGES).map((language) => language.slice(0, MAX_LENGTH))) ?? [],
  screen: attempt(() => [screen.width, screen.height, screen.colorDepth, devicePixelRatio]),
});
