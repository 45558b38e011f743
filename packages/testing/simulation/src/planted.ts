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
  'inherited-marks-believed',
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
  'crd-changes-unjudged',
  // Of claims.
  'claim-selects-all',
  'claimed-copies-of-others',
  'claims-of-another-cluster',
  'clones-are-copies',
  // Of bundles.
  'bundle-takes-bindings',
  'withdrawn-export-bound',
  'unreadable-exports-withdrawn',
  // The provider's.
  'breaking-schema-flows',
  'rollout-at-once',
  'rollout-unproven',
  'namespace-reclaimed-unproven',
] as const satisfies readonly string[];

export type Defect = (typeof defects)[number];

/** A seed that finds the mistake, an hour long with 24 objects: only it and those after it are tried. The others are looked for from the first seed on. */
export const foundBy: Readonly<Partial<Record<Defect, number>>> = {
  'delete-on-cache-absence': 1,
  'deletion-unproven': 1,
  'finalizer-released-early': 1,
  'copy-without-finalizer': 1,
  'drift-kept': 1,
  'status-written-once': 1,
  'status-of-former-copy': 1,
  'inherited-marks-believed': 3,
  'expired-watch-resumed': 8,
  'silent-watch-trusted': 2,
  'missed-deletions-dropped': 11,
  'retry-without-back-off': 1,
  'lease-never-expires': 3,
  'rotated-secret-ignored': 1,
  'finalizers-kept-on-unbinding': 1,
  'crd-changes-unjudged': 1,
  'claim-selects-all': 2,
  'claimed-copies-of-others': 8,
  'claims-of-another-cluster': 29,
  'clones-are-copies': 2,
  'bundle-takes-bindings': 6,
  'withdrawn-export-bound': 6,
  'unreadable-exports-withdrawn': 7,
  'rollout-at-once': 12,
  'rollout-unproven': 12,
  'breaking-schema-flows': 1,
  'namespace-reclaimed-unproven': 2,
};

/** Switches one on, or all off. Of this process, and for good as far as runs have begun. */
export function plant(defect: Defect | undefined): void {
  globalThis.hawserPlanted = defect === undefined ? undefined : new Set([defect]);
}
