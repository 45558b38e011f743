import type { Recovery } from '@hawser/client';

/** Ends of outages of the servers behind several addresses. Addresses of one server report once. */
export interface Recoveries {
  /** `recovery` undefined: the address reports no recovery. */
  add(url: string, recovery: Recovery | undefined): void;
  remove(url: string): void;
  close(): void;
}

export function createRecoveries(recovered: () => void): Recoveries {
  const byUrl = new Map<string, Recovery>();
  const followed = new Map<Recovery, { close(): void }>();
  const remove = (url: string): void => {
    const recovery = byUrl.get(url);
    byUrl.delete(url);
    if (recovery === undefined || [...byUrl.values()].includes(recovery)) return;
    followed.get(recovery)?.close();
    followed.delete(recovery);
  };
  return {
    add(url, recovery) {
      remove(url);
      if (recovery === undefined) return;
      byUrl.set(url, recovery);
      if (!followed.has(recovery)) followed.set(recovery, recovery.onRecovered(recovered));
    },
    remove,
    close() {
      for (const url of [...byUrl.keys()]) remove(url);
    },
  };
}
