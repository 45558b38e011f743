/** Mistakes that are built in on purpose and can be switched on, one at a time, to see that the simulation finds them. */
export const defects = [
  // The sync engine's.
  'delete-on-cache-absence',
  'deletion-unproven',
  'finalizer-released-early',
  'copy-without-finalizer',
  'drift-kept',
  'status-written-once',
  'status-of-former-copy',
  // The informer's.
  'expired-watch-resumed',
  'silent-watch-trusted',
  'missed-deletions-dropped',
  // The queue's.
  'retry-without-back-off',
  // The lease's.
  'lease-never-expires',
  // The konnector's.
  'rotated-secret-ignored',
  'finalizers-kept-on-unbinding',
] as const satisfies readonly string[];

export type Defect = (typeof defects)[number];

/** Switches one on, or all off. Of this process, and for good as far as runs have begun. */
export function plant(defect: Defect | undefined): void {
  globalThis.hawserPlanted = defect === undefined ? undefined : new Set([defect]);
}
