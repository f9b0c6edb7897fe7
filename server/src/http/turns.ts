/** Calls a function after a time. */
export type Schedule = (call: () => void, ms: number) => void;

/**
 * What a request costs. A small one takes some ten microseconds. A large one takes as long as several: one for a page,
 * one with an unknown key, many headers or a long URL, or one that was sent before the response to the last.
 */
export type Cost = 'small' | 'large';
/** Of each, as many run in a turn as take about an eighth of its time. */
const PER_TURN: Readonly<Record<Cost, number>> = { small: 4, large: 1 };
const TURN_MS = { small: 1, large: 2 };

/** Tasks that have run are dropped in groups of this size: dropping each would copy all others each time. */
const DROP_AT = 1000;

/** Runs up to `perTurn` tasks in a turn, the others later, in the order they came. */
const makeQueue = (perTurn: number, inNextTurn: (call: () => void) => void) => {
  let tasks: (() => void)[] = [];
  let ran = 0;
  let left = perTurn;
  let isTurnDue = false;
  const schedule = (): void => {
    if (isTurnDue) return;
    isTurnDue = true;
    inNextTurn(takeTurn);
  };
  const takeTurn = (): void => {
    isTurnDue = false;
    left = perTurn;
    while (ran < tasks.length && left > 0) {
      left--;
      tasks[ran++]?.();
    }
    if (left < perTurn) schedule();
    if (ran === tasks.length || ran >= DROP_AT) {
      tasks = tasks.slice(ran);
      ran = 0;
    }
  };
  return (run: () => void): void => {
    schedule();
    if (left === 0 || ran < tasks.length) {
      tasks.push(run);
      return;
    }
    left--;
    run();
  };
};

/**
 * Lets the requests of strangers take turns: those without a key, with an unknown key, or for a page that needs none.
 * However many of them wait, four small ones run in a millisecond and a large one in two, so that screenings have most
 * of the processor. Health checks, which are small, do not wait for large ones. While none wait, a request runs at once.
 */
export const makeTurns = (schedule: Schedule = setTimeout) => {
  const queueOf = (cost: Cost) => makeQueue(PER_TURN[cost], (call) => schedule(call, TURN_MS[cost]));
  const queues = { small: queueOf('small'), large: queueOf('large') };
  return {
    /** Runs a task now, or in a later turn if this turn is used up. */
    take: (cost: Cost, run: () => void): void => queues[cost](run),
  };
};
export type Turns = ReturnType<typeof makeTurns>;
