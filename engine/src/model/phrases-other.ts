/** What the remaining features say: the time, the journey of the user, and yes or no. */
import { travelSpeed } from '../history/facts.ts';
import { duration, rounded } from '../words.ts';
import { FLAG_TEXTS, type FlagText } from './feature-flags.ts';
import { ITEM_TYPE_FEATURES } from './features-derived.ts';
import { type Description, type Evidence, factReader, ifKnown, type Phrase, type PhrasePattern } from './phrase.ts';

const [travelKm, travelMs] = [factReader('user.travel_km'), factReader('user.travel_ms')];
/** Shorter journeys are not worth a word, and slower ones are possible. */
const FAR_KM = 200;
const FAST_KMH = 500;

const travelPhrase = (meaning: string): Phrase => ({
  theme: 'place',
  topic: 'travel',
  meaning,
  of: ['user'],
  describe: (_, { facts }) => {
    const [km, ms] = [travelKm(facts), travelMs(facts)];
    if (Number.isNaN(km) || Number.isNaN(ms)) return undefined;
    const ago = `${duration(ms)} ago`;
    if (km === 0) return { text: `Near where this user was last seen, ${ago}`, side: -1 };
    const isFar = km >= FAR_KM && travelSpeed(facts) >= FAST_KMH;
    return {
      text: `At least ${rounded(km)} km from where this user was last seen, ${ago}`,
      brief: isFar ? `${rounded(km)} km from the last place ${ago}` : undefined,
      side: isFar ? 1 : 0,
    };
  },
});

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const describeTime = (_: number, { subject }: Evidence): Description => {
  const at = new Date(subject.at);
  const [hours, minutes] = [at.getUTCHours(), at.getUTCMinutes()].map((part) => String(part).padStart(2, '0'));
  return { text: `${hours}:${minutes} UTC on a ${DAYS[at.getUTCDay()]}` };
};
const timePhrase = (meaning: string): Phrase => ({
  theme: 'pace',
  topic: 'time',
  meaning,
  of: [],
  describe: describeTime,
});

const flagPhrase = (name: string): Phrase => {
  const { theme, yes, no, brief, isBad = false } = FLAG_TEXTS[name] as FlagText;
  return {
    theme,
    topic: name,
    meaning: yes,
    of: [],
    describe: ifKnown((value) => {
      if (ITEM_TYPE_FEATURES.has(name)) return undefined;
      if (value === 1) return { text: yes, brief, side: isBad ? 1 : 0 };
      return no === undefined ? undefined : { text: no, side: isBad ? -1 : 0 };
    }),
  };
};

export const OTHER_PHRASES: readonly PhrasePattern[] = [
  [/^hour$/, () => timePhrase('The hour of the day (UTC), with its fraction')],
  [/^is_night$/, () => timePhrase('It is night (UTC)')],
  [/^is_weekend$/, () => timePhrase('It is a weekend')],
  [
    /^ip_radius_km$/,
    // How well an address can be located is no reason for a decision.
    () => ({
      theme: 'place',
      topic: 'ip_radius_km',
      meaning: 'Accuracy of the location of the IP address, in km',
      of: [],
      describe: () => undefined,
    }),
  ],
  [/^user\.travel_km$/, () => travelPhrase('Least distance from the last known location of this user, in km')],
  [/^user\.travel_ms$/, () => travelPhrase('Milliseconds since the last known location of this user')],
  [/^user\.travel_speed$/, () => travelPhrase('Least speed from the last known location of this user, in km/h')],
  [new RegExp(`^(${Object.keys(FLAG_TEXTS).join('|')})$`), (name) => flagPhrase(name)],
];
