import { automationHints } from './automation.ts';
import { base64url } from './base64url.ts';
import { collect, components } from './components.ts';
import { type DeviceKey, keptKey, ownKey, sign } from './key.ts';
import { surroundings } from './surroundings.ts';
import { within } from './within.ts';

const VERSION = 'pcd1';
const DEADLINE_MS = 500;
/** End of collection, which leaves time for signing. */
const GATHER_MS = 400;
/** Minimum time for a signature if a busy page has already used up the deadline. */
const LEAST_MS = 25;

const randomId = (): string => base64url(crypto.getRandomValues(new Uint8Array(16)));

const makeToken = async (): Promise<string> => {
  const begun = performance.now();
  const left = (): number => Math.max(DEADLINE_MS - (performance.now() - begun), LEAST_MS);
  const id = randomId();
  // Server-side rendering has no device, and an insecure page has no WebCrypto: neither has a key.
  const mayHaveKey = typeof document !== 'undefined' && crypto.subtle !== undefined;

  const [kept] = await Promise.all([
    mayHaveKey ? within(GATHER_MS, keptKey()) : undefined,
    within(GATHER_MS, collect()),
  ]);
  const key = kept ?? (mayHaveKey ? await within(left() / 2, ownKey()) : undefined);

  const unsigned = (of: DeviceKey | undefined): string => {
    const payload = {
      v: 1,
      id,
      at: Date.now(),
      key: of && base64url(of.publicKey),
      kept: of !== undefined && of === kept,
      automation: automationHints(),
      ...surroundings(),
      ...components(),
    };
    return `${VERSION}.${base64url(new TextEncoder().encode(JSON.stringify(payload)))}`;
  };
  if (key === undefined) return `${unsigned(undefined)}.`;
  const text = unsigned(key);
  const signature = await within(left(), sign(key, text));
  return signature === undefined ? `${unsigned(undefined)}.` : `${text}.${base64url(signature)}`;
};

/**
 * Creates a token that identifies this browser, for one request to Portcullis. It never rejects and takes at most half a second; late components are
 * omitted. It makes no request, sets no cookie and writes nothing to the console.
 */
export const getDeviceToken = (): Promise<string> =>
  // A page that removed standard objects gets a token that the service treats as broken. Its checkout continues.
  makeToken().catch(() => `${VERSION}..`);
