import type { HealthCheck } from './health-server.js';

/** One role of the process, from its first campaign to its last write. */
export interface RunningRole {
  readonly name: string;
  /** Resolves after `signal` aborts: nothing in flight, lease released, sockets closed. */
  run(signal: AbortSignal): Promise<void>;
  ready(): boolean;
  checks(): readonly HealthCheck[];
}
