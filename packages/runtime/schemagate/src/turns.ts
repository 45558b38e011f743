/** Runs one after the other, in the order in which they were asked for. One that fails does not keep the next from its turn. */
export type Turns = <T>(run: () => Promise<T>) => Promise<T>;

/** For what reads stored objects: however many want to, no more than one page of them is in memory. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  };
}
