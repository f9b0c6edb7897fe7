/**
 * The clocks of the Redis servers, by address. A call names the time on the server's clock at which its caller gives
 * up: a server that was stopped, or a network that was slow, must not run it after it was retried.
 */

/** How often a clock is measured: clocks drift, and may be set. */
const MEASURE_EVERY_MS = 5000;

interface ServerClock {
  /** The server's clock minus ours, which only moves forward. Too high by at most one round trip. */
  readonly ahead: number;
  readonly measuredAt: number;
}

export const makeServerClocks = (now: () => number = () => performance.now()) => {
  const clocks = new Map<string, ServerClock>();
  const measuring = new Set<string>();
  return {
    /** The time on the clock of a server in some milliseconds; 0 where its clock was never measured. */
    deadline: (server: string, ms: number): number => {
      const clock = clocks.get(server);
      return clock === undefined ? 0 : Math.ceil(now() + clock.ahead + ms);
    },
    isDue: (server: string): boolean =>
      !measuring.has(server) && now() - (clocks.get(server)?.measuredAt ?? Number.NEGATIVE_INFINITY) > MEASURE_EVERY_MS,
    /** Measures the clock of a server. `read` asks the server. Returns the server's time. */
    measure: async (server: string, read: () => Promise<number>): Promise<number> => {
      const sentAt = now();
      measuring.add(server);
      try {
        const time = await read();
        clocks.set(server, { ahead: time - sentAt, measuredAt: now() });
        return time;
      } finally {
        measuring.delete(server);
      }
    },
  };
};
export type ServerClocks = ReturnType<typeof makeServerClocks>;
