import type { EventType } from '@portcullis/contract';
import type { Simulation } from './actions.ts';
import { type Access, COUNTRIES, homeAccess, pooledAccess } from './networks.ts';
import type { Session } from './output.ts';
import type { Person } from './people.ts';

/** Steps that several unusual events share. */
export type UnusualEvent = (simulation: Simulation, person: Person, day: number) => void;

/** Writes several events a short time apart. Returns the time of the next action. */
export const recordEvents = (
  { output }: Simulation,
  person: Person,
  session: Session,
  at: number,
  ...types: EventType[]
): number => {
  let time = at;
  for (const type of types) {
    output.event(time, person, session, type);
    time += 15_000 + (time % 90_000);
  }
  return time;
};

/** Some logins with a wrong password. Returns the time of the next action. */
export const failLogins = (
  { output }: Simulation,
  person: Person,
  session: Session,
  from: number,
  times: number,
  gapMs: () => number,
): number => {
  let at = from;
  for (let i = times; i > 0; i--) {
    output.event(at, person, session, 'login', 'failed');
    at += gapMs();
  }
  return at;
};

/** A journey, mostly abroad, for business or leisure. The person uses other networks until it ends. */
export const startTrip: UnusualEvent = (simulation, person, day) => {
  const { draw, world } = simulation;
  const country = draw.chance(0.7) ? draw.pick(COUNTRIES) : draw.pick(world.countries);
  const access: Access = draw.chance(0.5)
    ? pooledAccess(country.code, simulation.town.carrierOf(country))
    : homeAccess(draw, country, world.v6Share, 0.4);
  person.trip = { until: day + draw.whole(1, 15), access };
};
