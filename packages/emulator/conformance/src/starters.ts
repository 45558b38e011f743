import { startEmbeddedServer } from './embedded-server.js';
import { startRealServer } from './real-server.js';
import type { StartServer } from './suite.js';

/** How the servers are started that the suite can be run against. */
export const starters = {
  real: startRealServer,
  embedded: startEmbeddedServer,
} as const satisfies Record<string, StartServer>;
