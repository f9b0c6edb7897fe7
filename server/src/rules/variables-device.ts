import { DEVICE_STATES, type DeviceState, fact, type RuleInput } from '@portcullis/engine';
import { isCountryCode, number, oneOf, readCountry, readKnown, text, type Variable } from './define-variable.ts';

const deviceStates = Object.keys(DEVICE_STATES) as DeviceState[];
const stateNumberOf = readKnown('device_state');
const stateOfDevice = (input: RuleInput): string =>
  deviceStates.find((state) => DEVICE_STATES[state] === stateNumberOf(input)) ?? '';
const automationOf = readKnown('device_automation');
/** Not read by `readKnown`, because the age may be below 0. */
const TOKEN_AGE = fact('device_token_age_ms');

/** Facts of a token of the device SDK. */
export const DEVICE_VARIABLES: readonly Variable[] = [
  text(
    'device_state',
    `State of a token of the device SDK: ${deviceStates.map((state) => `\`${state}\``).join(', ')}. Empty for your own identifiers.`,
    'both',
    stateOfDevice,
    oneOf('state of a device token', deviceStates),
  ),
  {
    name: 'device_automation',
    meaning: 'The device SDK found that a program controls the browser.',
    on: 'both',
    term: { type: 'bool', run: (input) => automationOf(input) > 0 },
    has: (input) => !Number.isNaN(automationOf(input)),
  },
  number(
    'device_token_age_ms',
    "Age of the device token on arrival, in milliseconds, by the browser's clock. Below 0 if that clock is ahead.",
    'both',
    ({ facts }) => facts[TOKEN_AGE] as number,
  ),
  text(
    'device_country',
    "Country of the browser's time zone, two capitals. Empty if unknown.",
    'both',
    readCountry('device_zone_country'),
    isCountryCode,
  ),
];
