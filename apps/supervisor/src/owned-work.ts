/** Work for one unit. */
export interface OwnedWork {
  /** Starts the work if this process owns the unit, else ends it; resolves once it has started or ended. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Work that lasts while this process owns its unit. `work` ends soon after its signal aborts, with nothing in flight,
 * and does not fail. It never runs twice at a time.
 */
export function ownedWork(owns: () => boolean, work: (signal: AbortSignal) => Promise<void>): OwnedWork {
  let ending: AbortController | undefined;
  let ended: Promise<void> = Promise.resolve();
  const stop = async (): Promise<void> => {
    ending?.abort();
    ending = undefined;
    await ended;
  };
  return {
    async settle() {
      if (!owns()) return stop();
      if (ending !== undefined) return;
      const mine = new AbortController();
      ending = mine;
      const before = ended;
      ended = before.then(() => (mine.signal.aborted ? undefined : work(mine.signal)));
      await before;
    },
    stop,
  };
}
