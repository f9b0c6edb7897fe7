import { AUTOMATION_HINTS, type DeviceTokenPayload } from '@portcullis/contract';
import { DEVICE_STATES, type DeviceState, hash53, type Knowledge, knownIndex } from '@portcullis/engine';
import { isSpokenIn } from '../knowledge/languages.ts';
import { keepsTimeOf, zoneNamed } from '../knowledge/time-zones.ts';
import { deviceIdOf, isDeviceId, isName, isToken, likenessOf, type Opened, openToken } from './token.ts';
import { verifyAside, verifyNow } from './verify.ts';

/** What a token of the device SDK is worth. */
export interface Device {
  readonly state: DeviceState;
  /** The name of the device, where its key was proved and is kept. */
  readonly id: string | undefined;
  /** Undefined where nothing it says can be believed. */
  readonly payload: DeviceTokenPayload | undefined;
}

const TAMPERED: Device = { state: 'tampered', id: undefined, payload: undefined };

const deviceOf = ({ payload, signed }: Opened, fits: boolean): Device => {
  if (signed === undefined) return { state: 'unsigned', id: undefined, payload };
  if (!fits) return TAMPERED;
  // A key that is gone with the page is another device at each visit: followed, it would make everybody a newcomer.
  return payload.kept === true
    ? { state: 'verified', id: deviceIdOf(signed.key), payload }
    : { state: 'unkept', id: undefined, payload };
};

/** Undefined for the name of a device, be it the caller's own or ours: who reads files and lists may have them from us. */
export const deviceIn = (token: string): Device | undefined => {
  if (!isName(token)) return TAMPERED;
  if (!isToken(token)) return undefined;
  const opened = openToken(token);
  if (opened === undefined) return TAMPERED;
  return deviceOf(opened, opened.signed !== undefined && verifyNow(opened.signed));
};

/**
 * The same of what a browser sent, without keeping anybody waiting; undefined at once for a caller's own name. Our own is refused: whoever knew the name
 * of a device could pose as it without its key.
 */
export const deviceAside = (token: string): Promise<Device> | undefined => {
  if (!isName(token) || isDeviceId(token)) return Promise.resolve(TAMPERED);
  if (!isToken(token)) return undefined;
  const opened = openToken(token);
  if (opened === undefined) return Promise.resolve(TAMPERED);
  if (opened.signed === undefined) return Promise.resolve(deviceOf(opened, false));
  return verifyAside(opened.signed).then((fits) => deviceOf(opened, fits));
};

const HINTS = Object.keys(AUTOMATION_HINTS);
const hintsOf = (names: readonly string[] = []): number => {
  let bits = 0;
  // What is not known stands for something else, the first of them.
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
} = knownIndex;

/** What the browser says of where it is, beside what is known of the address. */
const compare = ({ zone, languages }: DeviceTokenPayload, knowledge: Knowledge): void => {
  const country = knowledge[IP_COUNTRY] as number;
  const there = zone === undefined ? undefined : zoneNamed(zone);
  const language = languages?.[0];
  if (there !== undefined) {
    knowledge[ZONE_COUNTRY] = there.country;
    knowledge[ZONE_FITS] = keepsTimeOf(there, country);
  }
  if (language !== undefined) knowledge[LANGUAGE_FITS] = isSpokenIn(language, country);
};

/**
 * Puts the name of the device in place of the token, which is kept nowhere, and what the token told beside what is known of the address: that
 * has to be there already. Changes what it is given.
 */
export const placeDevice = (
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
  knowledge[LIKENESS] = likenessOf(payload);
  knowledge[TOKEN_AGE] = at - payload.at;
  knowledge[AUTOMATION] = hintsOf(payload.automation);
  compare(payload, knowledge);
};

/** How a device stands on a list: by its name. Undefined for a token that names none. */
export const listedDevice = (text: string): string | undefined => (isToken(text) ? deviceIn(text)?.id : text);
