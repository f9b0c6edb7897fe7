/** Globals that automation tools leave in a page. The exact names avoid matches with a shop's own globals. */
const LEFT_BEHIND =
  /^(?:\$?cdc_[a-zA-Z0-9]{22}_.*|__(?:webdriver|driver|selenium|fxdriver)_(?:evaluate|unwrapped|script_f\w*)|__playwright__binding__|__pwInitScripts|__puppeteer\w*|__nightmare|_?callPhantom|_phantom)$/;

const isNative = (read: unknown): boolean => /\[native code\]/.test(Function.prototype.toString.call(read));

/**
 * Signs of automation that no browser used by a person shows. Mere correlates are left out: software rendering (also on remote desktops),
 * an empty list of plugins (Safari), a window without a size (a background tab).
 */
const HINTS: Readonly<Record<string, () => boolean>> = {
  /** Set by the browser itself, as the WebDriver standard requires. */
  webdriver: () => navigator.webdriver === true,
  /** A script overrode the property: in an unmodified browser it is a native getter of the prototype. */
  webdriver_hidden: () => {
    const inherited = Object.getOwnPropertyDescriptor(Navigator.prototype, 'webdriver');
    const put = Object.getOwnPropertyDescriptor(navigator, 'webdriver');
    return put !== undefined || (inherited !== undefined && !isNative(inherited.get));
  },
  headless: () => {
    const { userAgentData } = navigator as { userAgentData?: { brands?: readonly { brand: string }[] } };
    const brands = userAgentData?.brands?.map(({ brand }) => brand) ?? [];
    return [navigator.userAgent, ...brands].some((name) => name.includes('HeadlessChrome'));
  },
  driver: () =>
    document.documentElement.hasAttribute('webdriver') ||
    [window, document].some((holder) => Object.getOwnPropertyNames(holder).some((name) => LEFT_BEHIND.test(name))),
};

export const automationHints = (): string[] =>
  Object.entries(HINTS).flatMap(([name, isSeen]) => {
    try {
      return isSeen() ? [name] : [];
    } catch {
      return [];
    }
  });
