import { loadSources, murmurX64Hash128, prepareForSources, type Source, sources } from '@fingerprintjs/fingerprintjs';

type Value = string | number;
interface Component {
  readonly tier: 'hard' | 'soft';
  readonly name: string;
  /** Nothing where this browser does not tell. */
  readonly read: () => Promise<Value | undefined>;
}

/** Sources share it so that one WebGL context is opened, not several: browsers close a page's oldest when it has too many. */
const options = { cache: {} };
const MAX_LENGTH = 128;
/** After so long without a pause the page would feel us. */
const BREATH_MS = 16;

const take = async <T>(source: Source<typeof options, T>): Promise<T> => {
  const { taken } = await loadSources({ taken: source }, options, [])();
  if ('error' in taken) throw taken.error;
  return taken.value;
};
const once = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let value: Promise<T> | undefined;
  return () => {
    value ??= read();
    return value;
  };
};
const short = (text: string): string => text.slice(0, MAX_LENGTH);
/** Not a secret, only short: whoever can choose what is digested can as well choose the digest. */
const digest = (value: unknown): string => murmurX64Hash128(JSON.stringify(value));

const agent = once(() => take(sources.userAgentData));

/**
 * What the library can read and what is left out, with the reasons: ADR 0027. Those that wait for the browser come first, to wait while others work; WebGL is
 * last, since it is the slowest and cannot be interrupted.
 */
const COMPONENTS: readonly Component[] = [
  { tier: 'soft', name: 'fonts', read: async () => digest(await take(sources.fonts)) },
  {
    tier: 'soft',
    name: 'audio',
    read: async () => {
      const sum = await take(sources.audio);
      // Below zero are the library's words: -3 is "not in time", the others are properties of the browser.
      if (sum === -3) throw new Error('audio took too long');
      return sum < 0 ? undefined : sum;
    },
  },
  { tier: 'hard', name: 'model', read: async () => short((await agent())?.model ?? '') || undefined },
  { tier: 'soft', name: 'brands', read: async () => short((await agent())?.brands.join() ?? '') || undefined },
  { tier: 'hard', name: 'platform', read: async () => short(await take(sources.platform)) },
  { tier: 'hard', name: 'architecture', read: () => take(sources.architecture) },
  { tier: 'hard', name: 'cores', read: () => take(sources.hardwareConcurrency) },
  { tier: 'hard', name: 'memory', read: () => take(sources.deviceMemory) },
  { tier: 'hard', name: 'touch', read: async () => (await take(sources.touchSupport)).maxTouchPoints },
  {
    tier: 'soft',
    name: 'vendor',
    read: async () => short([await take(sources.vendor), ...(await take(sources.vendorFlavors))].join()),
  },
  { tier: 'soft', name: 'math', read: async () => digest(await take(sources.math)) },
  {
    tier: 'soft',
    name: 'canvas',
    read: async () => {
      const { geometry } = await take(sources.canvas);
      // That a browser would not draw it, or draws it with noise, is a word.
      return geometry.startsWith('data:') ? digest(geometry) : geometry;
    },
  },
  {
    tier: 'hard',
    name: 'gpu',
    read: async () => {
      const basics = await take(sources.webGlBasics);
      if (typeof basics === 'number') return undefined;
      // Without the numbers of drivers, which an update changes.
      return short((basics.rendererUnmasked || basics.renderer).replaceAll(/\d+(?:\.\d+)+[^\s,)]*/g, '*'));
    },
  },
];

const had = new Map<string, Value | undefined>();

/** Reads each component once in the life of a page; one that hangs or fails holds up none of the others. */
export const collect = once(async () => {
  // Right after the page has loaded, fonts and sizes are not yet what they will be.
  await prepareForSources();
  const reading: Promise<unknown>[] = [];
  let breath = performance.now();
  for (const { name, read } of COMPONENTS) {
    reading.push(
      read().then(
        (value) => had.set(name, value),
        () => undefined,
      ),
    );
    if (performance.now() - breath < BREATH_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    breath = performance.now();
  }
  await Promise.all(reading);
});

/** What there is by now. Missing is what failed or is not there yet, not what this browser does not have. */
export const components = () => {
  const tier = (of: Component['tier']): Readonly<Record<string, Value | undefined>> =>
    Object.fromEntries(COMPONENTS.filter(({ tier }) => tier === of).map(({ name }) => [name, had.get(name)]));
  const missing = COMPONENTS.map(({ name }) => name).filter((name) => !had.has(name));
  return { hard: tier('hard'), soft: tier('soft'), missing };
};
