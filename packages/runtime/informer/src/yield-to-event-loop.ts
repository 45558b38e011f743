/** Resolves after everything that waits for the event loop, sockets included, has had its turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
