/** What tools that drive a browser leave in the page, by the exact names they use: a shop's own globals must not look like one. */
const LEFT_BEHIND =
  /^(?:\$?cdc_[a-zA-Z0-9]{22}_.*|__(?:webdriver|driver|selenium|fxdriver)_(?:evaluate|unwrapped|script_f\w*)|__playwright__binding__|__pwInitScripts|__puppeteer\w*|__nightmare|_?callPhantom|_phantom)$/;

const isNative = (read: unknown): boolean => /\[native code\]/.test(Function.prototype.toString.call(read));

/**
 * Each is something that no browser in a person's hands does. What merely goes along with automation is not here: a graphics card in software (remote
 * desktops have it, too), an empty list of plugins (Safari), a window without a size (a tab opened in the background).
 */
const HINTS: Readonly<Record<string, () => boolean>> = {
  /** Browsers say so themselves, as the WebDriver standard asks of them. */
  webdriver: () => navigator.webdriver === true,
  /** Somebody made it say otherwise: in a browser left alone the answer comes from the prototype, by native code. */
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
