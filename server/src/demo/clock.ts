/** The clock of the demo: at the time of the played item while the past is played, then that of the machine. */
export const makeDemoClock = (start: number) => {
  let played: number | undefined = start;
  return {
    now: (): number => played ?? Date.now(),
    /** Never back: the service would refuse to go back in time. In whole milliseconds, which ids are made of. */
    moveTo: (time: number): void => {
      if (played !== undefined && time > played) played = Math.floor(time);
    },
    goLive: (): void => {
      played = undefined;
    },
  };
};
export type DemoClock = ReturnType<typeof makeDemoClock>;
