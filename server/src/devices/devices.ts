import { AUTOMATION_HINTS, type DeviceTokenPayload, isDeviceToken } from '@portcullis/contract';
import { DEVICE_STATES, type DeviceState, hash53, type Knowledge, knowledgeIndex } from '@portcullis/engine';
import { isSpokenIn } from '../knowledge/languages.ts';
import { keepsTimeOf, zoneNamed } from '../knowledge/time-zones.ts';
import { deviceIdOf, deviceProfileOf, isDeviceId, isStorable, type ParsedToken, parseToken } from './token.ts';
import { verifyInPool, verifySync } from './verify.ts';

/** The device behind a `device_token`. */
export interface Device {
  readonly state: DeviceState;
  /** The id of the device, if the token proves a key that the browser keeps. */
  readonly id: string | undefined;
  /** Undefined if the token was tampered with. */
  readonly payload: DeviceTokenPayload | undefined;
}

const TAMPERED: Device = { state: 'tampered', id: undefined, payload: undefined };

const deviceOf = ({ payload, signed }: ParsedToken, isValid: boolean): Device => {
  if (signed === undefined) return { state: 'unsigned', id: undefined, payload };
  if (!isValid) return TAMPERED;
  // A key that the browser does not keep differs at each visit. Tracking it would make every visitor a new device.
  return payload.kept === true
    ? { state: 'verified', id: deviceIdOf(signed.key), payload }
    : { state: 'unkept', id: undefined, payload };
};

/** Reads a `device_token` from a file or list; undefined for a device id or the caller's name of a device. */
export const readDevice = (token: string): Device | undefined => {
  if (!isStorable(token)) return TAMPERED;
  if (!isDeviceToken(token)) return undefined;
  const parsed = parseToken(token);
  if (parsed === undefined) return TAMPERED;
  return deviceOf(parsed, parsed.signed !== undefined && verifySync(parsed.signed));
};

/**
 * Reads a `device_token` of a request, and checks its signature in the thread pool. Undefined at once for the
 * caller's name of a device. A device id is refused: otherwise anyone who knows the id could impersonate the device
 * without its key.
 */
export const readDeviceOfRequest = (token: string): Promise<Device> | undefined => {
  if (!isStorable(token) || isDeviceId(token)) return Promise.resolve(TAMPERED);
  if (!isDeviceToken(token)) return undefined;
  const parsed = parseToken(token);
  if (parsed === undefined) return Promise.resolve(TAMPERED);
  if (parsed.signed === undefined) return Promise.resolve(deviceOf(parsed, false));
  return verifyInPool(parsed.signed).then((isValid) => deviceOf(parsed, isValid));
};

const HINTS = Object.keys(AUTOMATION_HINTS);
const hintsOf = (names: readonly string[] = []): number => {
  let bits = 0;
  // An unknown hint counts as the first one, which means any other.
  for (const name of names) bits |= 1 << Math.max(0, HINTS.indexOf(name));
  return bits;
};

const {
  device_state: STATE,
  device_token_id: TOKEN_ID,
  device_likeness: LIKENESS,
  device_token_age_ms: TOKEN_AGE,
  device_automation: AUTOMATION,
  device_zone_country: ZONE_COUNTRY,
  device_zone_fits: ZONE_FITS,
  device_language_fits: LANGUAGE_FITS,
  ip_country: IP_COUNTRY,
} = knowledgeIndex;

/** Compares the browser's time zone and language with the country of the address. */
const compareWithAddress = ({ zone, languages }: DeviceTokenPayload, knowledge: Knowledge): void => {
  const country = knowledge[IP_COUNTRY] as number;
  const deviceZone = zone === undefined ? undefined : zoneNamed(zone);
  const language = languages?.[0];
  if (deviceZone !== undefined) {
    knowledge[ZONE_COUNTRY] = deviceZone.country;
    knowledge[ZONE_FITS] = keepsTimeOf(deviceZone, country);
  }
  if (language !== undefined) knowledge[LANGUAGE_FITS] = isSpokenIn(language, country);
};

/**
 * Replaces the token in `request` by the id of the device, and adds the facts of the token to `knowledge`. The
 * country of the address must be in `knowledge` already. The token itself is stored nowhere.
 */
export const applyDevice = (
  { state, id, payload }: Device,
  request: { device_token?: string },
  knowledge: Knowledge,
  at: number,
): void => {
  if (id === undefined) delete request.device_token;
  else request.device_token = id;
  knowledge[STATE] = DEVICE_STATES[state];
  if (payload === undefined) return;
  knowledge[TOKEN_ID] = hash53(payload.id);
  knowledge[LIKENESS] = deviceProfileOf(payload);
  knowledge[TOKEN_AGE] = at - payload.at;
  knowledge[AUTOMATION] = hintsOf(payload.automation);
  compareWithAddress(payload, knowledge);
};

/** The list value of a device: its id or the caller's name for it. Undefined for a token without a proven device. */
export const deviceListValue = (text: string): string | undefined =>
  isDeviceToken(text) ? readDevice(text)?.id : text;
