import { DEVICE_STATES, type DeviceState, fact, type RuleInput } from '@portcullis/engine';
import { isCountryCode, knownCountry, knownOf, number, oneOf, text, type Variable } from './variable.ts';

const deviceStates = Object.keys(DEVICE_STATES) as DeviceState[];
const stateNumberOf = knownOf('device_state');
const stateOfDevice = (input: RuleInput): string =>
  deviceStates.find((state) => DEVICE_STATES[state] === stateNumberOf(input)) ?? '';
const automationOf = knownOf('device_automation');
/** Not by `knownOf`: it may well be below 0. */
const TOKEN_AGE = fact('device_token_age_ms');

/** What a token of the device SDK told. */
export const DEVICE_VARIABLES: readonly Variable[] = [
  text(
    'device_state',
    `What a token of the device SDK is worth: ${deviceStates.map((state) => `\`${state}\``).join(', ')}. Empty for an identifier of your own.`,
    'both',
    stateOfDevice,
    oneOf('state of a device token', deviceStates),
  ),
  {
    name: 'device_automation',
    meaning: 'A program steers the browser, as the device SDK found.',
    on: 'both',
    term: { type: 'bool', run: (input) => automationOf(input) > 0 },
    has: (input) => !Number.isNaN(automationOf(input)),
  },
  number(
    'device_token_age_ms',
    "How long before it arrived the device token was made, by the browser's clock, in milliseconds. Below 0 where that is ahead.",
    'both',
    ({ facts }) => facts[TOKEN_AGE] as number,
  ),
  text(
    'device_country',
    "Country that the browser's time zone is named after, two capitals. Empty where it is not known.",
    'both',
    knownCountry('device_zone_country'),
    isCountryCode,
  ),
];
