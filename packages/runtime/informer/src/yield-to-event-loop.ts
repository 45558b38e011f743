/** Yields: resolves after everything that waits for the event loop, sockets included, has run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
