/** Things that people of the shop do later, in the order of their time. */
export const makeAgenda = () => {
  const tasks: { readonly at: number; readonly run: () => Promise<unknown> }[] = [];
  return {
    add: (at: number, run: () => Promise<unknown>): void => {
      const index = tasks.findLastIndex((task) => task.at <= at);
      tasks.splice(index + 1, 0, { at, run });
    },
    /** Does everything that is due, each at its time. */
    runUntil: async (time: number, moveTo: (time: number) => void): Promise<void> => {
      for (let next = tasks[0]; next !== undefined && next.at <= time; next = tasks[0]) {
        tasks.shift();
        moveTo(next.at);
        await next.run();
      }
    },
  };
};
export type Agenda = ReturnType<typeof makeAgenda>;
