/** Variables that connect the process of jest with the processes of its tests. */
export const environment = {
  /** Unix socket that serves the shared control planes. */
  host: 'HAWSER_TESTENV_HOST',
  /** The found binaries, as JSON. */
  binaries: 'HAWSER_TESTENV_BINARIES',
  /** Why no binaries were found. */
  unavailable: 'HAWSER_TESTENV_UNAVAILABLE',
} as const;

/** Names of the control planes that a whole run shares. */
export const sharedNames = ['consumer', 'provider'] as const;

export type SharedName = (typeof sharedNames)[number];

/** What the host answers to a request for one. */
export type HostAnswer<Description> = { readonly description: Description } | { readonly error: string };
