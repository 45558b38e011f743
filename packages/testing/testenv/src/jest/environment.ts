/** How the process that runs jest and the processes that run tests find each other. */
export const environment = {
  /** Unix socket at which the shared control planes are asked for. */
  host: 'HAWSER_TESTENV_HOST',
  /** The binaries that were found, as JSON. */
  binaries: 'HAWSER_TESTENV_BINARIES',
  /** Why there are none. */
  unavailable: 'HAWSER_TESTENV_UNAVAILABLE',
} as const;

/** Names of the control planes that a whole run shares. */
export const sharedNames = ['consumer', 'provider'] as const;

export type SharedName = (typeof sharedNames)[number];

/** What the host answers to a request for one. */
export type HostAnswer<Description> = { readonly description: Description } | { readonly error: string };
