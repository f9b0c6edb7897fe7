/** More than anybody reads, and few enough for a token to stay short whatever an extension makes up. */
const MAX_LANGUAGES = 8;
/** The longest tag and the longest name that the service takes. */
const MAX_TAG = 35;
const MAX_ZONE = 64;

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const isTag = (language: unknown): language is string =>
  typeof language === 'string' && language !== '' && language.length <= MAX_TAG;

/** Where and how the browser is used now. Moving, zooming and another language change it, so it identifies nobody; it is compared with the request. */
export const surroundings = () => {
  const zone = attempt(() => new Intl.DateTimeFormat().resolvedOptions().timeZone.slice(0, MAX_ZONE));
  const measured = attempt(() => [screen.width, screen.height, screen.colorDepth, devicePixelRatio]);
  return {
    zone: zone || undefined,
    languages: attempt(() => navigator.languages.filter(isTag).slice(0, MAX_LANGUAGES)) ?? [],
    // Extensions answer with all sorts of things. What is not a number would make the whole token one that nobody understands.
    screen: measured?.every(Number.isFinite) ? measured : undefined,
  };
};
