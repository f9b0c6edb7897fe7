import { loadSources, murmurX64Hash128, prepareForSources, type Source, sources } from '@fingerprintjs/fingerprintjs';

type Value = string | number;
interface Component {
  readonly tier: 'hard' | 'soft';
  readonly name: string;
  /** Undefined if the browser does not provide it. */
  readonly read: () => Promise<Value | undefined>;
}

/** Shared by all sources so that they open one WebGL context: browsers close a page's oldest context when it has too many. */
const options = { cache: {} };
const MAX_LENGTH = 128;
/** Longest uninterrupted work: one frame, so that the page stays responsive. */
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
/** Shortens a value. It needs no cryptographic strength: a client that can choose the value can also choose the digest. */
const digest = (value: unknown): string => murmurX64Hash128(JSON.stringify(value));

const agent = once(() => take(sources.userAgentData));

/**
 * The components of a token; ADR 0027 explains the selection. Asynchronous ones come first, so that they run while others work. WebGL is last:
 * it is the slowest and cannot be interrupted.
 */
const COMPONENTS: readonly Component[] = [
  { tier: 'soft', name: 'fonts', read: async () => digest(await take(sources.fonts)) },
  {
    tier: 'soft',
    name: 'audio',
    read: async () => {
      const sum = await take(sources.audio);
      // Negative values are status codes of the library: -3 is a timeout, the others are properties of the browser.
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
      // A browser that refuses to draw, or adds noise, gives a status word instead of an image.
      return geometry.startsWith('data:') ? digest(geometry) : geometry;
    },
  },
  {
    tier: 'hard',
    name: 'gpu',
    read: async () => {
      const basics = await take(sources.webGlBasics);
      if (typeof basics === 'number') return undefined;
      // Without driver versions, which change with updates.
      return short((basics.rendererUnmasked || basics.renderer).replaceAll(/\d+(?:\.\d+)+[^\s,)]*/g, '*'));
    },
  },
];

const had = new Map<string, Value | undefined>();

/** Reads each component once per page. One that hangs or fails does not delay the others. */
export const collect = once(async () => {
  // Right after loading, fonts and sizes are not final.
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

/** The components read so far. `missing` lists those that failed or are pending, not those that the browser lacks. */
export const components = () => {
  const tier = (of: Component['tier']): Readonly<Record<string, Value | undefined>> =>
    Object.fromEntries(COMPONENTS.filter(({ tier }) => tier === of).map(({ name }) => [name, had.get(name)]));
  const missing = COMPONENTS.map(({ name }) => name).filter((name) => !had.has(name));
  return { hard: tier('hard'), soft: tier('soft'), missing };
};
