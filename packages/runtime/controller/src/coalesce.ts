/** Wraps `callback`: any number of calls in one turn of the event loop run it once. */
export function coalesce(callback: () => void): () => void {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    setImmediate(() => {
      planned = false;
      callback();
    });
  };
}
