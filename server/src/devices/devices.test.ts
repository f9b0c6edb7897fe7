import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { countryNumber, DEVICE_STATES, knowledgeIndex, makeKnowledge, makeRandom } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { makeMutations } from '../../test/fixtures/device-mutations.ts';
import { looksLike, makeDevice, tokenOf, unsignedToken } from '../../test/fixtures/device-tokens.ts';
import { applyDevice, deviceListValue, readDevice, readDeviceOfRequest } from './devices.ts';
import { deviceProfileOf, parseToken } from './token.ts';

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
  test('signed with a key that the browser keeps is verified, with the same device id each time', async () => {
    const [one, two] = [device.token(), device.token()];
    expect(readDevice(one)).toMatchObject({ state: 'verified', id: device.id });
    expect(await readDeviceOfRequest(two)).toMatchObject({ state: 'verified', id: device.id });
    expect(device.id).toMatch(/^dvk_[\w-]{22}$/);
    expect(makeDevice().id).not.toBe(device.id);
  });

  test('gets its device id from the key alone', () => {
    const other = { ...looksLike('another machine'), zone: 'UTC', languages: [], screen: [1, 1, 1, 1] };
    expect(readDevice(signed(other))?.id).toBe(device.id);
  });

  test.each([{ kept: false }, { kept: undefined }])(
    'whose key the browser does not keep has no device id: %o',
    (more) => {
      expect(readDevice(signed(more))).toMatchObject({ state: 'unkept', id: undefined, payload: { v: 1 } });
    },
  );

  test('that could not be signed has no device id, but a payload', () => {
    expect(readDevice(unsignedToken())).toMatchObject({ state: 'unsigned', id: undefined, payload: { v: 1 } });
  });

  test('may have unknown fields', () => {
    expect(readDevice(signed({ later: { deep: [1] } }))?.state).toBe('verified');
  });

  const broken: Readonly<Record<string, string>> = {
    'the fallback of the SDK': 'pcd1..',
    'only its prefix': 'pcd1.',
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
    'unused bits that are set': `pcd1.${part('{"v":1}').slice(0, -1)}R.`,
    'a payload that is not JSON': tokenOf('pcd1'),
    'a payload that is not an object': tokenOf('[1]'),
    'a payload of null': tokenOf('null'),
    'a payload that is not UTF-8': `pcd1.${part(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))}.`,
    'a byte order mark': tokenOf(`\uFEFF${JSON.stringify(device.payload())}`, device.privateKey),
    'lists in lists': tokenOf(nested('[', ']')),
    'objects in objects': tokenOf(nested('{"a":', '').concat('1', '}'.repeat(1400))),
    'a component that is deep': signed({ hard: { a: { b: 1 } } }),
    'a list for a component': signed({ soft: { a: [1] } }),
    'a component that is too long': signed({ soft: { a: 'x'.repeat(257) } }),
    'too many components': signed({ soft: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`c${i}`, 1])) }),
    'an id of another length': signed({ id: 'short' }),
    'a time that is not an integer': signed({ at: 1.5 }),
    'a negative time': signed({ at: -1 }),
    'a point that is not on the curve': signed({ key: point(() => {}) }),
    'a compressed point': signed({ key: randomBytes(33).toString('base64url') }),
    'a point of one byte more': signed({ key: `${device.payload().key}AA` }),
    'the point at infinity': signed({ key: point((bytes) => bytes.fill(0)) }),
    'a device id in place of a token': device.id,
  };
  test.each(Object.entries(broken))('is tampered and has no device id with %s', async (_, token) => {
    const tampered = { state: 'tampered', id: undefined, payload: undefined };
    expect(await readDeviceOfRequest(token)).toEqual(tampered);
    if (token !== device.id) expect(readDevice(token)).toEqual(tampered);
  });

  test('with duplicate fields or fields of Object.prototype has only the fields it signed', () => {
    const text = JSON.stringify(device.payload());
    const twice = tokenOf(
      `${text.slice(0, -1)},"kept":false,"__proto__":{"kept":true},"constructor":1}`,
      device.privateKey,
    );
    expect(readDevice(twice)?.state).toBe('unkept');
    expect(({} as { kept?: boolean }).kept).toBeUndefined();
    const soft = JSON.parse('{"__proto__":"a","b":"c"}') as Record<string, string>;
    expect(readDevice(signed({ soft }))?.state).toBe('verified');
  });

  test.each(['phone', 'pcd', 'pcd1', 'pcdx.a.b', 'PCD1.a.b', ' pcd1.a.b', 'dvk_short', 'dvk_8f14e45f'])(
    'differs from a name of the caller: %s',
    (name) => {
      expect(readDevice(name)).toBeUndefined();
      expect(readDeviceOfRequest(name)).toBeUndefined();
      expect(deviceListValue(name)).toBe(name);
    },
  );

  test('on a list becomes its device id', () => {
    expect(deviceListValue(device.token())).toBe(device.id);
    expect(deviceListValue(device.id)).toBe(device.id);
    expect(deviceListValue(unsignedToken())).toBeUndefined();
    expect(deviceListValue('pcd1.x.y')).toBeUndefined();
  });

  test('never throws when mutated, and is tampered unless the key signed exactly this token', async () => {
    const { next, isForged } = makeMutations(device, makeRandom(7));
    for (let i = 0; i < 20_000; i++) expect(() => parseToken(next())).not.toThrow();
    const states = new Set<string>();
    for (let i = 0; i < 1500; i++) {
      const token = next();
      const [sync, pooled] = [readDevice(token), await readDeviceOfRequest(token)];
      if (token !== device.id) expect(pooled).toEqual(sync);
      // Undefined for texts that are not tokens: to the service they are names of the caller.
      if (isForged(token)) expect([undefined, 'tampered'], token).toContain(sync?.state);
      expect([undefined, device.id]).toContain(sync?.id);
      states.add(sync?.state ?? 'name');
    }
    expect([...states].sort()).toEqual(['name', 'tampered', 'verified']);
  }, 120_000);
});

describe('the device profile', () => {
  const likeness = (more: object): number => deviceProfileOf({ ...device.payload(), ...more });
  const { hard, soft } = looksLike('laptop');
  const backwards = (tier: object): object => Object.fromEntries(Object.entries(tier).reverse());

  test('is the same in any order of components, and differs with any of them', () => {
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

  test('does not depend on the window, the language, the place or the key', () => {
    const moved = { screen: [1, 1, 1, 2], languages: ['vi'], zone: 'Asia/Bangkok', at: 1, automation: ['driver'] };
    expect(deviceProfileOf({ ...makeDevice('laptop').payload(), ...moved })).toBe(likeness({}));
  });

  test('is NaN if a component is missing or there are too few', () => {
    expect(likeness({ missing: ['canvas'] })).toBeNaN();
    expect(likeness({ hard: { cores: 8 }, soft: {} })).toBeNaN();
  });
});

describe('applyDevice', () => {
  const apply = (token: string, country = 'DE') => {
    const request: { device_token?: string } = { device_token: token };
    const knowledge = makeKnowledge();
    knowledge[knowledgeIndex.ip_country] = countryNumber(country);
    const found = readDevice(token);
    if (found !== undefined) applyDevice(found, request, knowledge, device.payload().at + 5000);
    return { request, known: (name: keyof typeof knowledgeIndex) => knowledge[knowledgeIndex[name]] };
  };

  test('puts the device id into the request and numbers into the facts', () => {
    const { request, known } = apply(device.token({ automation: ['headless', 'never heard of'] }));
    expect(request).toEqual({ device_token: device.id });
    expect(known('device_state')).toBe(DEVICE_STATES.verified);
    expect(known('device_token_age_ms')).toBe(5000);
    expect(known('device_automation')).toBe(1 | 8);
    expect(known('device_zone_country')).toBe(countryNumber('DE'));
    expect([known('device_zone_fits'), known('device_language_fits')]).toEqual([1, 1]);
  });

  test('stores only the state of a tampered token', () => {
    const { request, known } = apply(`${device.token()}x`);
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
  ])('compares the time zone %s with an address in %s: %d', (zone, country, fits) => {
    expect(apply(device.token({ zone }), country).known('device_zone_fits')).toBe(fits);
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
  ])('compares the languages %o with an address in %s: %d', (languages, country, fits) => {
    expect(apply(device.token({ languages }), country).known('device_language_fits')).toBe(fits);
  });
});
