/** Runs tasks one after the other, in order of request. A failing task does not stop the next. */
export type Turns = <T>(run: () => Promise<T>) => Promise<T>;

/** Serialises reads of stored objects: only one page of them is in memory, however many callers there are. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  };
}
