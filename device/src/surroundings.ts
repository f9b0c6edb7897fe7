/** More than a person uses, but few enough to keep a token short if an extension invents some. */
const MAX_LANGUAGES = 8;
/** The longest language tag and time zone name that the service accepts. */
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

/** Time zone, languages and screen. They change with travel, zoom and settings, so they do not identify a device; the service compares them with the request. */
export const surroundings = () => {
  const zone = attempt(() => new Intl.DateTimeFormat().resolvedOptions().timeZone.slice(0, MAX_ZONE));
  const measured = attempt(() => [screen.width, screen.height, screen.colorDepth, devicePixelRatio]);
  return {
    zone: zone || undefined,
    languages: attempt(() => navigator.languages.filter(isTag).slice(0, MAX_LANGUAGES)) ?? [],
    // Extensions can return anything. A value that is not a number would make the whole token invalid.
    screen: measured?.every(Number.isFinite) ? measured : undefined,
  };
};
