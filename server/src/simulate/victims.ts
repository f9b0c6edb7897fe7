import { HOUR_MS, payUsual, type Simulation, sessionOf, timeOf } from './actions.ts';
import { DAY_MS } from './output.ts';
import { makeCard, type Person } from './people.ts';

const dayOf = ({ world }: Simulation, at: number): number => Math.floor((at - world.start) / DAY_MS);

/** The owner, locked out, resets the password on an own device. These events are legitimate. */
const recoverAccount = (simulation: Simulation, person: Person, at: number): void => {
  const { draw, output } = simulation;
  let time = at;
  const session = sessionOf(simulation, person, time);
  for (let i = draw.whole(0, 3); i > 0; i--) {
    output.event(time, person, session, 'login', 'failed');
    time += draw.between(4000, 50_000);
  }
  output.event(time, person, session, 'password_reset');
  time += draw.between(20_000, 200_000);
  output.event(time, person, session, draw.chance(0.7) ? 'login' : 'password_change');
  if (draw.chance(0.3)) payUsual(simulation, person, session, time + draw.between(20_000, 900_000));
};

/**
 * The life of a customer after a theft: on own devices and addresses, with the same card or a new one. Few leave. Some
 * notice at once, some after days, some never.
 */
export const goOnLiving = (simulation: Simulation, person: Person, theftAt: number): void => {
  const { draw, world, output, plan } = simulation;
  if (draw.chance(0.25)) return;
  const noticedAt = theftAt + draw.logBetween(0.3, 240) * HOUR_MS;
  const nextDay = dayOf(simulation, noticedAt) + 1;
  const cardDay = nextDay + draw.whole(0, 6);
  if (draw.chance(0.6)) recoverAccount(simulation, person, noticedAt);
  if (draw.chance(0.5))
    plan(cardDay, () => {
      const card = makeCard(world, draw);
      const at = timeOf(simulation, person, cardDay);
      person.cards = [card, ...person.cards.slice(1)];
      output.event(at, person, sessionOf(simulation, person, at), 'payment_method_added');
    });
  if (draw.chance(0.15))
    plan(nextDay, () => {
      person.devices = [world.newDevice(), ...person.devices.slice(1)];
    });
  if (draw.chance(0.08))
    plan(nextDay, () => {
      person.quietUntil = Number.POSITIVE_INFINITY;
    });
};
