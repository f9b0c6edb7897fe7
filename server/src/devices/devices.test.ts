import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { countryNumber, DEVICE_STATES, knownIndex, makeKnowledge, makeRandom } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { makeMutations } from '../../test/device-mutations.ts';
import { looksLike, makeDevice, tokenOf, unsignedToken } from '../../test/device-tokens.ts';
import { deviceAside, deviceIn, listedDevice, placeDevice } from './devices.ts';
import { likenessOf, openToken } from './token.ts';

const device = makeDevice();
const point = (fill: (bytes: Buffer) => void): string => {
  const bytes = Buffer.alloc(65, 4);
  fill(bytes);
  return bytes.toString('base64url');
};
const ownKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const otherCurve = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
const signed = (more: object): string => tokenOf({ ...device.payload(), ...more }, device.privateKey);
const part = (content: string | Buffer): string => Buffer.from(content).toString('base64url');
const [, payload = '', signature = ''] = device.token().split('.');
const nested = (open: string, close: string): string => open.repeat(1400) + close.repeat(1400);

describe('a token of the device SDK', () => {
  test('that is signed with a key the browser keeps is verified, and names the same device each time', async () => {
    const [one, two] = [device.token(), device.token()];
    expect(deviceIn(one)).toMatchObject({ state: 'verified', id: device.id });
    expect(await deviceAside(two)).toMatchObject({ state: 'verified', id: device.id });
    expect(device.id).toMatch(/^dvk_[\w-]{22}$/);
    expect(makeDevice().id).not.toBe(device.id);
  });

  test('is known by its key alone, whatever else it says', () => {
    const other = { ...looksLike('another machine'), zone: 'UTC', languages: [], screen: [1, 1, 1, 1] };
    expect(deviceIn(signed(other))?.id).toBe(device.id);
  });

  test.each([{ kept: false }, { kept: undefined }])('whose key is gone with the page names no device: %o', (more) => {
    expect(deviceIn(signed(more))).toMatchObject({ state: 'unkept', id: undefined, payload: { v: 1 } });
  });

  test('that could not be signed names no device, but tells what it looks like', () => {
    expect(deviceIn(unsignedToken())).toMatchObject({ state: 'unsigned', id: undefined, payload: { v: 1 } });
  });

  test('may say more than is known here', () => {
    expect(deviceIn(signed({ later: { deep: [1] } }))?.state).toBe('verified');
  });

  const broken: Readonly<Record<string, string>> = {
    'the last resort of the SDK': 'pcd1..',
    'nothing but its beginning': 'pcd1.',
    'two parts': `pcd1.${payload}`,
    'four parts': `pcd1.${payload}.${signature}.`,
    'another version': `pcd2.${payload}.${signature}`,
    'a signature cut short': `pcd1.${payload}.${signature.slice(0, -1)}`,
    'a signature too long': `pcd1.${payload}.${signature}AA`,
    'no signature beside a key': `pcd1.${payload}.`,
    'the signature of another token': `pcd1.${payload}.${device.token().split('.')[2]}`,
    'a signature of zeros': `pcd1.${payload}.${part(Buffer.alloc(64))}`,
    'a signature of ones': `pcd1.${payload}.${part(Buffer.alloc(64, 255))}`,
    'a signature by another key': tokenOf(device.payload(), ownKey),
    'a signature by a key of another curve': tokenOf(device.payload(), otherCurve),
    'a signature without a key': tokenOf({ ...device.payload(), key: undefined }, ownKey),
    padding: `pcd1.${payload}=.${signature}`,
    'the other alphabet of base64': `pcd1.${payload.slice(0, -2)}+/.${signature}`,
    'bits that nobody reads': `pcd1.${part('{"v":1}').slice(0, -1)}R.`,
    'no JSON': tokenOf('pcd1'),
    'JSON that is no object': tokenOf('[1]'),
    'nothing at all': tokenOf('null'),
    'what is not UTF-8': `pcd1.${part(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))}.`,
    'a byte order mark': tokenOf(`\uFEFF${JSON.stringify(device.payload())}`, device.privateKey),
    'lists in lists': tokenOf(nested('[', ']')),
    'objects in objects': tokenOf(nested('{"a":', '').concat('1', '}'.repeat(1400))),
    'a component that is deep': signed({ hard: { a: { b: 1 } } }),
    'a list for a component': signed({ soft: { a: [1] } }),
    'a component without end': signed({ soft: { a: 'x'.repeat(257) } }),
    'too many components': signed({ soft: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`c${i}`, 1])) }),
    'an id of another length': signed({ id: 'short' }),
    'a time that is none': signed({ at: 1.5 }),
    'a time before all': signed({ at: -1 }),
    'a point that is not on the curve': signed({ key: point(() => {}) }),
    'a compressed point': signed({ key: randomBytes(33).toString('base64url') }),
    'a point of one byte more': signed({ key: `${device.payload().key}AA` }),
    'the point at infinity': signed({ key: point((bytes) => bytes.fill(0)) }),
    'its own id in place of a token': device.id,
  };
  test.each(Object.entries(broken))('is tampered with, and names no device, with %s', async (_, token) => {
    const tampered = { state: 'tampered', id: undefined, payload: undefined };
    expect(await deviceAside(token)).toEqual(tampered);
    if (token !== device.id) expect(deviceIn(token)).toEqual(tampered);
  });

  test('with members twice or named like those of every object is what its signature covers, and no more', () => {
    const text = JSON.stringify(device.payload());
    const twice = tokenOf(
      `${text.slice(0, -1)},"kept":false,"__proto__":{"kept":true},"constructor":1}`,
      device.privateKey,
    );
    expect(deviceIn(twice)?.state).toBe('unkept');
    expect(({} as { kept?: boolean }).kept).toBeUndefined();
    const soft = JSON.parse('{"__proto__":"a","b":"c"}') as Record<string, string>;
    expect(deviceIn(signed({ soft }))?.state).toBe('verified');
  });

  test.each(['phone', 'pcd', 'pcd1', 'pcdx.a.b', 'PCD1.a.b', ' pcd1.a.b', 'dvk_short', 'dvk_8f14e45f'])(
    'is not what a caller names a device: %s',
    (name) => {
      expect(deviceIn(name)).toBeUndefined();
      expect(deviceAside(name)).toBeUndefined();
      expect(listedDevice(name)).toBe(name);
    },
  );

  test('on a list stands as its device', () => {
    expect(listedDevice(device.token())).toBe(device.id);
    expect(listedDevice(device.id)).toBe(device.id);
    expect(listedDevice(unsignedToken())).toBeUndefined();
    expect(listedDevice('pcd1.x.y')).toBeUndefined();
  });

  test('mutated in any way is opened or not, and never believed where it was changed', async () => {
    const next = makeMutations(device, makeRandom(7));
    for (let i = 0; i < 20_000; i++) expect(() => openToken(next())).not.toThrow();
    for (let i = 0; i < 1500; i++) {
      const token = next();
      const [now, aside] = [deviceIn(token), await deviceAside(token)];
      if (token !== device.id) expect(aside).toEqual(now);
      // Nobody else's key signs any of them.
      expect([undefined, device.id]).toContain(now?.id);
    }
  }, 120_000);
});

describe('what a machine looks like', () => {
  const likeness = (more: object): number => likenessOf({ ...device.payload(), ...more });
  const { hard, soft } = looksLike('laptop');
  const backwards = (tier: object): object => Object.fromEntries(Object.entries(tier).reverse());

  test('is the same number in whatever order it is told, and another one where anything differs', () => {
    expect(Number.isSafeInteger(likeness({}))).toBe(true);
    expect(likeness({ hard: backwards(hard), soft: backwards(soft) })).toBe(likeness({}));
    const others = [
      { hard: { ...hard, cores: 4 } },
      { soft: { ...soft, fonts: 'x' } },
      { hard: { ...hard, cores: '8' } },
      { hard: { ...hard, more: null } },
      { hard: soft, soft: hard },
    ];
    expect(new Set([likeness({}), ...others.map(likeness)]).size).toBe(others.length + 1);
  });

  test('does not change with the window, the language, the place or the key', () => {
    const moved = { screen: [1, 1, 1, 2], languages: ['vi'], zone: 'Asia/Bangkok', at: 1, automation: ['driver'] };
    expect(likenessOf({ ...makeDevice('laptop').payload(), ...moved })).toBe(likeness({}));
  });

  test('cannot be told where a part was not seen in time, or there is hardly any', () => {
    expect(likeness({ missing: ['canvas'] })).toBeNaN();
    expect(likeness({ hard: { cores: 8 }, soft: {} })).toBeNaN();
  });
});

describe('what is kept of a token', () => {
  const placed = (token: string, country = 'DE') => {
    const request: { device_token?: string } = { device_token: token };
    const knowledge = makeKnowledge();
    knowledge[knownIndex.ip_country] = countryNumber(country);
    const found = deviceIn(token);
    if (found !== undefined) placeDevice(found, request, knowledge, device.payload().at + 5000);
    return { request, known: (name: keyof typeof knownIndex) => knowledge[knownIndex[name]] };
  };

  test('is the id of its device in the request, and numbers', () => {
    const { request, known } = placed(device.token({ automation: ['headless', 'never heard of'] }));
    expect(request).toEqual({ device_token: device.id });
    expect(known('device_state')).toBe(DEVICE_STATES.verified);
    expect(known('device_token_age_ms')).toBe(5000);
    expect(known('device_automation')).toBe(1 | 8);
    expect(known('device_zone_country')).toBe(countryNumber('DE'));
    expect([known('device_zone_fits'), known('device_language_fits')]).toEqual([1, 1]);
  });

  test('is nothing but that it was tampered with, where it was', () => {
    const { request, known } = placed(`${device.token()}x`);
    expect(request).toEqual({});
    expect(known('device_state')).toBe(DEVICE_STATES.tampered);
    for (const name of ['device_likeness', 'device_token_id', 'device_token_age_ms', 'device_zone_fits'] as const)
      expect(known(name), name).toBeNaN();
  });

  test.each([
    ['Europe/Berlin', 'DE', 1],
    ['Europe/Berlin', 'NL', 1],
    ['Asia/Calcutta', 'IN', 1],
    ['America/New_York', 'US', 1],
    ['Pacific/Honolulu', 'US', 1],
    ['Asia/Ho_Chi_Minh', 'US', 0],
    ['Europe/Moscow', 'DE', 0],
    ['UTC', 'DE', Number.NaN],
    ['Etc/GMT+5', 'DE', Number.NaN],
    ['Atlantic/Reykjavik', 'DE', Number.NaN],
    ['Mars/Olympus', 'DE', Number.NaN],
    ['__proto__', 'DE', Number.NaN],
    ['Europe/Berlin', 'ZZ', Number.NaN],
  ])('of the time zone %s with an address in %s is %d', (zone, country, fits) => {
    expect(placed(device.token({ zone }), country).known('device_zone_fits')).toBe(fits);
  });

  test.each([
    [['de-AT', 'en'], 'DE', 1],
    [['en-US'], 'VN', 1],
    [['vi', 'en-US', 'en'], 'US', 0],
    [['es-MX'], 'US', 1],
    [['iw-IL'], 'IL', 1],
    [['nb-NO'], 'NO', 1],
    [['no'], 'NO', 1],
    [['zh-Hant-TW'], 'TW', 1],
    [['tr', 'de'], 'DE', 0],
    [['DE_de'], 'DE', 1],
    [['constructor'], 'DE', 0],
    [['de'], 'AU', 0],
    [['de'], 'ZZ', Number.NaN],
    [[], 'DE', Number.NaN],
  ])('of the languages %o with an address in %s is %d', (languages, country, fits) => {
    expect(placed(device.token({ languages }), country).known('device_language_fits')).toBe(fits);
  });
});
