/** Collects the items that are added in one turn of the event loop, and passes them on together at its end. */
export const gatherTurn = <T>(passOn: (items: readonly T[]) => void): ((item: T) => void) => {
  let items: T[] = [];
  const flush = (): void => {
    const gathered = items;
    items = [];
    passOn(gathered);
  };
  return (item) => {
    if (items.push(item) === 1) setImmediate(flush);
  };
};
