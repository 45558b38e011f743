import { startEmbeddedServer } from './embedded-server.js';
import { startRealServer } from './real-server.js';
import type { StartServer } from './suite.js';

/** Start functions of the servers for the suite. */
export const starters = {
  real: startRealServer,
  embedded: startEmbeddedServer,
} as const satisfies Record<string, StartServer>;
