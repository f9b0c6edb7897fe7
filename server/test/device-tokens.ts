import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { DeviceTokenPayload } from '@portcullis/contract';
import { hash53 } from '@portcullis/engine';
import { deviceIdOf } from '../src/devices/token.ts';
import { START } from './harness.ts';

const POINT_BYTES = 65;
const encode = (content: string | Buffer): string => Buffer.from(content).toString('base64url');

/** A token as the SDK puts it together, of whatever payload. */
export const tokenOf = (payload: string | object, key?: KeyObject): string => {
  const text = `pcd1.${encode(typeof payload === 'string' ? payload : JSON.stringify(payload))}`;
  const signature =
    key === undefined ? '' : encode(sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }));
  return `${text}.${signature}`;
};

/** What a machine looks like; another word, another machine. */
export const looksLike = (looks: string): Pick<DeviceTokenPayload, 'hard' | 'soft'> => ({
  hard: { platform: 'Linux armv81', architecture: 127, cores: 8, memory: 8, touch: 0, gpu: `GPU ${looks}` },
  soft: {
    fonts: `f${hash53(looks)}`,
    audio: 124.043_475_276_960_7,
    math: 'm1',
    canvas: 'c1',
    brands: 'Chromium',
    vendor: 'chrome',
  },
});

/** A browser with a key of its own, which makes tokens. */
export const makeDevice = (looks = 'laptop') => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-POINT_BYTES);
  const payload = (more: Partial<DeviceTokenPayload> = {}): DeviceTokenPayload => ({
    v: 1,
    id: encode(randomBytes(16)),
    at: START,
    key: encode(point),
    kept: true,
    automation: [],
    zone: 'Europe/Berlin',
    languages: ['de-DE', 'de', 'en'],
    screen: [1920, 1080, 24, 1],
    ...looksLike(looks),
    missing: [],
    ...more,
  });
  return {
    id: deviceIdOf(point),
    privateKey,
    payload,
    token: (more?: Partial<DeviceTokenPayload>): string => tokenOf(payload(more), privateKey),
  };
};
export type TestDevice = ReturnType<typeof makeDevice>;

/** A token of a browser that cannot sign. */
export const unsignedToken = (looks = 'laptop', more: Partial<DeviceTokenPayload> = {}): string => {
  const { key: _, ...payload } = makeDevice(looks).payload(more);
  return tokenOf({ ...payload, kept: false });
};
